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
import { StepMap } from './step-map.ts';

/** `cancelled`: its branch was stopped. */
export type CountedStatus = StepStatus | 'cancelled';

export class StepCounts {
  completed = 0;
  failed = 0;
  skipped = 0;
  cancelled = 0;
  readonly #statuses = new StepMap<CountedStatus>();
  readonly #containers = new Set<StepKey>();

  statusOf(key: StepKey): CountedStatus | undefined {
    return this.#statuses.get(key);
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
    const before = this.#statuses.exchange(key, status);
    if (this.#containers.has(key)) return;
    if (before !== undefined) this[before] -= 1;
    this[status] += 1;
  }
}

function endingOf(failure: Failure | undefined): CountedStatus {
  if (failure === undefined) return 'completed';
  return failure.type === 'cancelled' ? 'cancelled' : 'failed';
}
