import type { LimitState, RunState } from '../../model/run-state.ts';
import { untilText } from './amounts.ts';

/** What a step at its usage limit waits for, in every view. */
export function limitText(limit: Pick<LimitState, 'next_at' | 'resets_at'>, now: number): string {
  const next = untilText(limit.next_at, now);
  return limit.resets_at === undefined
    ? `usage limit, no end told: next attempt at ${next}`
    : `usage limit: waits until ${next}`;
}

/** Of the limits that a run waits for, the one that is over first. */
export function firstLimit(run: RunState): LimitState | undefined {
  return Object.values(run.limits ?? {}).sort((a, b) => (a.next_at < b.next_at ? -1 : 1))[0];
}
