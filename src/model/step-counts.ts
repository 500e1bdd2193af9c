/**
 * How many steps a run has done, for every view: each visit counts, by how it last ended. A step that only contains others is not
 * counted; its contents are.
 */

import { isShown } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { Failure } from './failure.ts';
import { ownerOf, type StepKey } from './ids.ts';
import { isJsonObject } from './json.ts';
import { notedIn } from './noted.ts';
import type { StepStatus } from './record.ts';

/** `cancelled`: its branch was stopped. */
export type CountedStatus = StepStatus | 'cancelled';

export class StepCounts {
  completed = 0;
  failed = 0;
  skipped = 0;
  cancelled = 0;
  /** Most steps of a long run: a set takes one look where a map takes two. */
  readonly #completed = new Set<StepKey>();
  readonly #others = new Map<StepKey, CountedStatus>();
  readonly #containers = new Set<StepKey>();

  statusOf(key: StepKey): CountedStatus | undefined {
    return this.#others.get(key) ?? (this.#completed.has(key) ? 'completed' : undefined);
  }

  /** `noted`: the note in the event, if the caller has looked already. */
  apply(event: RunEvent, noted = event.type === 'step-ended' ? notedIn(event) : undefined): void {
    if (event.type !== 'step-ended') return;
    if (noted?.type === 'container') this.#containers.add(noted.key);
    else if (noted?.type === 'record' && noted.record.status !== undefined)
      this.#ended(noted.key, noted.record.status);
    else if (noted === undefined && isShown(event.effect) && isJsonObject(event.output))
      this.#ended(ownerOf(event.key), endingOf(event.output['failure'] as Failure | undefined));
  }

  #ended(key: StepKey, status: CountedStatus): void {
    const before = this.#replace(key, status);
    if (this.#containers.has(key)) return;
    if (before !== undefined) this[before] -= 1;
    this[status] += 1;
  }

  /** Returns the status before. */
  #replace(key: StepKey, status: CountedStatus): CountedStatus | undefined {
    const other = this.#others.size === 0 ? undefined : this.#others.get(key);
    if (status === 'completed') {
      if (other !== undefined) this.#others.delete(key);
      const { size } = this.#completed;
      this.#completed.add(key);
      return this.#completed.size === size ? 'completed' : other;
    }
    this.#others.set(key, status);
    return this.#completed.delete(key) ? 'completed' : other;
  }
}

function endingOf(failure: Failure | undefined): CountedStatus {
  if (failure === undefined) return 'completed';
  return failure.type === 'cancelled' ? 'cancelled' : 'failed';
}
