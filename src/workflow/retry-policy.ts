import { LIMIT_WAIT_MS, NO_RETRY, type RetryPolicy } from '../engine/retry.ts';
import { defined } from '../model/defined.ts';
import type { RunOptions } from './block.ts';
import { RETRIED_EXIT_CODES, type Step } from './definition.ts';

const AGENT_RETRY: RetryPolicy = {
  max: 2,
  delayMs: 2000,
  backoff: 2,
  maxDelayMs: 60_000,
  jitter: 0.2,
  limitWaitMs: LIMIT_WAIT_MS,
  onExit: RETRIED_EXIT_CODES,
};

const COMMAND_RETRY: RetryPolicy = { ...NO_RETRY, onExit: RETRIED_EXIT_CODES };

/** The step's own `retries`, otherwise the command line's, otherwise the default of its kind: commands are not retried. */
export function retryPolicyOf(step: Step, options: RunOptions): RetryPolicy {
  if (step.retry !== undefined) return step.retry;
  const usual = step.type === 'provider' ? AGENT_RETRY : COMMAND_RETRY;
  const { maxRetries: max, retryDelayMs: delayMs } = options;
  return max === undefined && delayMs === undefined ? usual : { ...usual, ...defined({ max, delayMs }) };
}
