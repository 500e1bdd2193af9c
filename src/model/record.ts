import type { TokenUsage } from './agent.ts';
import type { Failure } from './failure.ts';
import type { JsonValue } from './json.ts';

/** What every effect's output may carry: why it failed, and what it spent. */
export interface EffectOutput {
  readonly failure?: Failure;
  readonly spent?: Spent;
}

/** One agent call's price. `null`: the agent does not say, which is not 0. */
export interface Spent {
  readonly costUsd: number | null;
  readonly usage?: TokenUsage;
}

/** The output of an effect that a person would call a step: it has an exit code and something to show. */
export interface WorkOutput extends EffectOutput {
  readonly exitCode: number;
  /** `done`, or the name of the failure: `timed-out`, `rate-limited`, `unproven`, … */
  readonly outcome: string;
  readonly capture?: 'text' | 'lines' | 'json';
  readonly output?: string;
  readonly lines?: readonly string[];
  readonly json?: JsonValue;
  readonly truncated?: boolean;
  /** Of `wait_for`: workspace-relative, sorted. */
  readonly files?: readonly string[];
  readonly waitDurationMs?: number;
  readonly pollCount?: number;
  readonly timedOut?: boolean;
  /** Files the step is known to have written, workspace-relative. */
  readonly artifacts?: readonly string[];
  readonly sessionId?: string;
  readonly debug?: { readonly [key: string]: JsonValue | undefined };
  readonly stdoutTail?: string;
  readonly stderrTail?: string;
}

export type StepStatus = 'completed' | 'failed' | 'skipped';

/** What state, variables and reports know of a step: its output, and when and how often it ran. */
export interface StepRecord extends WorkOutput {
  readonly status: StepStatus;
  readonly startedAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
  readonly attempts: number;
}
