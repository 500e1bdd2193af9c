import type { LimitState } from '../../model/run-state.ts';
import { untilText } from './amounts.ts';

/** What a step at its usage limit waits for, in every view. */
export function limitText(limit: Pick<LimitState, 'next_at' | 'resets_at'>, now: number): string {
  const next = untilText(limit.next_at, now);
  return limit.resets_at === undefined
    ? `usage limit, no end told: next attempt at ${next}`
    : `usage limit: waits until ${next}`;
}
