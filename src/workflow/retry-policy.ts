import { LIMIT_WAIT_MS, NO_RETRY, type RetryPolicy } from '../engine/retry.ts';
import type { RunOptions } from './block.ts';
import type { Step } from './definition.ts';

const AGENT_RETRY: RetryPolicy = {
  max: 2,
  delayMs: 2000,
  backoff: 2,
  maxDelayMs: 60_000,
  jitter: 0.2,
  limitWaitMs: LIMIT_WAIT_MS,
};

/** Commands are repeated only when asked, on the exit codes that mean "try again". */
export const COMMAND_RETRY_EXIT_CODES: readonly number[] = [1, 124];

/** The step's own `retries`, else what the command line says, else the default of its kind. */
export function retryPolicyOf(step: Step, options: RunOptions): RetryPolicy {
  if (step.retry !== undefined) return step.retry;
  const base = step.type === 'provider' ? AGENT_RETRY : { ...NO_RETRY, onExit: COMMAND_RETRY_EXIT_CODES };
  return {
    ...base,
    ...(options.maxRetries === undefined ? {} : { max: options.maxRetries }),
    ...(options.retryDelayMs === undefined ? {} : { delayMs: options.retryDelayMs }),
  };
}
