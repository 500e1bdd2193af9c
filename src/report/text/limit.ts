import { untilText } from '../../model/amounts.ts';
import type { LimitState } from '../../model/run-state.ts';

/** Describes how long a step waits at its usage limit, in every view. */
export function limitText(limit: Pick<LimitState, 'next_at' | 'resets_at'>, now: number): string {
  const next = untilText(limit.next_at, now);
  return limit.resets_at === undefined
    ? `usage limit, reset time unknown: next attempt at ${next}`
    : `usage limit: waiting until ${next}`;
}
