import { defined } from './defined.ts';
import { describeFailure } from './describe-failure.ts';
import type { RunEvent } from './event.ts';
import type { StepKey } from './ids.ts';
import type { LimitState, RunState } from './run-state.ts';

/** The usage limits that a run is waiting for, by step, for every view. */
export class OpenLimits {
  readonly open = new Map<StepKey, LimitState>();

  apply(event: RunEvent): void {
    switch (event.type) {
      case 'attempt-ended':
        if (!event.counted) this.open.set(event.key, limitOf(event));
        break;
      case 'step-started':
      case 'step-ended':
        if (this.open.size > 0) this.open.delete(event.key);
        break;
      case 'branch-stopped':
        for (const key of [...this.open.keys()]) if (key.startsWith(`${event.key}/`)) this.open.delete(key);
        break;
      case 'run-ended':
        // An interrupted run keeps waiting when it is resumed.
        if (event.status !== 'interrupted') this.open.clear();
        break;
      default:
        // Partial: no other event opens or ends a wait for a limit.
        break;
    }
  }
}

export function limitOf(event: Extract<RunEvent, { type: 'attempt-ended' }>): LimitState {
  const { failure, at, nextAt } = event;
  const resetsAt =
    failure.type === 'agent' && failure.outcome.type === 'rate-limited'
      ? failure.outcome.resetsAt
      : undefined;
  return {
    since: at,
    next_at: nextAt,
    ...defined({ resets_at: resetsAt }),
    message: describeFailure(failure),
  };
}

/** The limit that ends first, of those the run is waiting for. */
export function firstLimit(run: RunState): LimitState | undefined {
  return Object.values(run.limits ?? {}).sort((a, b) => (a.next_at < b.next_at ? -1 : 1))[0];
}
