import type { RetryPolicy } from '../engine/retry.ts';
import { defined } from '../model/defined.ts';
import { AGENT_RETRY, COMMAND_RETRY } from '../steps/retry-policy.ts';
import type { RunOptions } from './block.ts';
import type { Step } from './definition.ts';

/** The step's own `retries`, otherwise the command line's, otherwise the default of its kind: commands are not retried. */
export function retryPolicyOf(step: Step, options: RunOptions): RetryPolicy {
  if (step.retry !== undefined) return step.retry;
  const usual = step.type === 'provider' ? AGENT_RETRY : COMMAND_RETRY;
  const { maxRetries: max, retryDelayMs: delayMs } = options;
  return max === undefined && delayMs === undefined ? usual : { ...usual, ...defined({ max, delayMs }) };
}
