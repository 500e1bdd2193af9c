import { adviceFor, exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';

/** How often a failed attempt is retried, and after what delay. */
export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly max: number;
  readonly delayMs: number;
  /** Factor by which each delay grows. */
  readonly backoff: number;
  readonly maxDelayMs: number;
  /** Random share of the delay, 0 to 1. */
  readonly jitter: number;
  /** Explicit delays instead of `delayMs` and `backoff`; the last one repeats. */
  readonly delaysMs?: readonly number[];
  /** Exit codes that are retried; default: all. */
  readonly onExit?: readonly number[];
  /** Outcomes that are never retried. */
  readonly except?: readonly string[];
  /** How long after the first attempt a usage limit is still waited for; a limit that lasts longer is a failure. */
  readonly limitWaitMs: number;
  /** ISO 8601: a usage limit that lasts longer is a failure. */
  readonly limitUntil?: string;
}

export const NO_RETRY: RetryPolicy = {
  max: 0,
  delayMs: 1000,
  backoff: 2,
  maxDelayMs: 60_000,
  jitter: 0,
  limitWaitMs: 0,
};

/** Seven days: the longest reset period of an agent's plan. */
export const LIMIT_WAIT_MS = 7 * 24 * 3600 * 1000;
/** Delay before retrying a limit without a reset time; doubles each time, up to the longest. */
const UNTOLD_RESET_MS = 5 * 60 * 1000;
/** An attempt is made this long after the reset. */
const RESET_MARGIN_MS = 1000;
const LONGEST_UNTOLD_MS = 60 * 60 * 1000;

export type RetryDecision =
  | { readonly type: 'give-up' }
  | { readonly type: 'again'; readonly afterMs: number; readonly counted: boolean };

export interface Attempted {
  readonly failure: Failure;
  /** Attempts made so far that count, this one included. */
  readonly counted: number;
  /** Consecutive waits for a limit just before this one. */
  readonly waited: number;
  /** ISO 8601: the first attempt. */
  readonly startedAt: string;
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

export function decideRetry(policy: RetryPolicy, attempted: Attempted): RetryDecision {
  const advice = adviceFor(attempted.failure);
  if (advice.type === 'wait') {
    const waitMs = limitPause(advice.until, attempted);
    const waitedMs = Math.max(0, attempted.now - Date.parse(attempted.startedAt));
    const isTooLate =
      policy.limitUntil !== undefined &&
      attempted.now + waitMs > Date.parse(policy.limitUntil) + RESET_MARGIN_MS;
    return isTooLate || waitedMs + waitMs > policy.limitWaitMs
      ? { type: 'give-up' }
      : { type: 'again', afterMs: waitMs, counted: false };
  }
  if (advice.type !== 'retry' || attempted.counted > policy.max || !worthwhile(policy, attempted.failure)) {
    return { type: 'give-up' };
  }
  return { type: 'again', afterMs: pause(policy, attempted), counted: true };
}

/** A reset time in the past is trusted once; if the limit persists, it is ignored. */
function limitPause(until: string | undefined, { now, waited }: Attempted): number {
  const untilResetMs = until === undefined ? undefined : Date.parse(until) - now + RESET_MARGIN_MS;
  if (untilResetMs !== undefined && (untilResetMs > RESET_MARGIN_MS || waited === 0))
    return Math.max(RESET_MARGIN_MS, untilResetMs);
  return Math.min(UNTOLD_RESET_MS * 2 ** waited, LONGEST_UNTOLD_MS);
}

function worthwhile(policy: RetryPolicy, failure: Failure): boolean {
  if (policy.except?.includes(outcomeName(failure)) === true) return false;
  return policy.onExit === undefined || policy.onExit.includes(exitCodeFor(failure));
}

function pause(policy: RetryPolicy, attempted: Attempted): number {
  const listed = policy.delaysMs?.[Math.min(attempted.counted, policy.delaysMs.length) - 1];
  const base = listed ?? policy.delayMs * policy.backoff ** (attempted.counted - 1);
  const capped = Math.min(base, policy.maxDelayMs);
  const jittered = capped * (1 - policy.jitter + policy.jitter * 2 * attempted.random);
  return Math.round(Math.min(jittered, policy.maxDelayMs));
}
