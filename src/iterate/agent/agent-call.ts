import type { RunAgentInput, RunAgentOutput } from '../../effects/contracts.ts';
import type { StepOptions, Stepped } from '../../engine/durable.ts';
import { LIMIT_WAIT_MS } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import type { Spent } from '../../model/record.ts';
import type { TaskInput } from '../input.ts';

export interface AskedOfAgent {
  readonly prompt: string;
  readonly systemPrompt: string;
  /** Default: the agent of the task. */
  readonly agent?: RunAgentInput['agent'];
  readonly maxBudgetUsd?: number;
}

export function agentInput(task: TaskInput, asked: AskedOfAgent): RunAgentInput {
  return {
    agent: asked.agent ?? task.agent,
    prompt: [{ type: 'text', text: asked.prompt }],
    systemPrompt: asked.systemPrompt,
    capture: 'text',
    // Whether it did its work anyway is judged by the files it changed.
    toleratesDenial: true,
    ...defined({
      permissions: task.permissions,
      maxBudgetUsd: asked.maxBudgetUsd,
      timeoutMs: task.timeoutMs,
      idleTimeoutMs: task.idleTimeoutMs,
    }),
  };
}

/**
 * Waits for a usage limit to reset, however long; never retries after a time limit set by the user. `stopFile`: for a call in
 * a loop, which the user may stop while it waits.
 */
export function agentOptions({ retry }: TaskInput, stopFile?: string): StepOptions {
  return {
    retry: {
      max: retry.maxAttempts - 1,
      delayMs: 0,
      backoff: 1,
      maxDelayMs: Number.MAX_SAFE_INTEGER,
      jitter: 0,
      delaysMs: retry.delaysMs,
      except: ['timed-out'],
      limitWaitMs: LIMIT_WAIT_MS,
    },
    ...defined({ stopFile }),
  };
}

export function spentOn(stepped: Stepped<RunAgentOutput>): readonly Spent[] {
  const { spent } = stepped.output;
  return [...(stepped.spentBefore ?? []), ...(spent === undefined ? [] : [spent])];
}
