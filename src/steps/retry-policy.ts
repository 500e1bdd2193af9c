import { LIMIT_WAIT_MS, NO_RETRY, type RetryPolicy } from '../engine/retry.ts';

/** Exit codes that are retried unless the step says otherwise. */
export const RETRIED_EXIT_CODES: readonly number[] = [1, 124];

export const AGENT_RETRY: RetryPolicy = {
  max: 2,
  delayMs: 2000,
  backoff: 2,
  maxDelayMs: 60_000,
  jitter: 0.2,
  limitWaitMs: LIMIT_WAIT_MS,
  onExit: RETRIED_EXIT_CODES,
};

export const COMMAND_RETRY: RetryPolicy = { ...NO_RETRY, onExit: RETRIED_EXIT_CODES };
