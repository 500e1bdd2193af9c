import { mayCost } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { StepKey } from './ids.ts';
import type { Spent } from './record.ts';

/** What an agent had spent before its process was killed is not reported. */
export const INTERRUPTED: Spent = { costUsd: null };

/** The agent calls that are running, for every view. A call that is still open when its process ends was interrupted. */
export class OpenCalls {
  readonly #open = new Set<StepKey>();

  get open(): ReadonlySet<StepKey> {
    return this.#open;
  }

  /** Returns the calls that the event shows to be interrupted; they are no longer open. */
  apply(event: RunEvent): readonly StepKey[] {
    switch (event.type) {
      case 'step-started':
        if (mayCost(event.effect)) this.#open.add(event.key);
        return NONE;
      case 'attempt-ended':
      case 'attempt-asked':
      case 'step-ended':
        if (this.#open.size > 0) this.#open.delete(event.key);
        return NONE;
      case 'run-ended':
      case 'run-resumed': {
        if (this.#open.size === 0) return NONE;
        const interrupted = [...this.#open].filter((key) => !isAttached(event, key));
        for (const key of interrupted) this.#open.delete(key);
        return interrupted;
      }
      default:
        // Partial: no other event starts or ends a call.
        return NONE;
    }
  }
}

/** A worker still runs it: it outlived the owner of its run. */
export function isAttached(event: RunEvent, key: string): boolean {
  return event.type === 'run-resumed' && event.attached?.some((each) => each === key) === true;
}

const NONE: readonly StepKey[] = [];
