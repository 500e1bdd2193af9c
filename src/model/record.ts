import type { TokenUsage } from './agent.ts';
import type { Answer, Question } from './event.ts';
import type { Failure } from './failure.ts';
import type { JsonValue } from './json.ts';
import type { Results } from './results.ts';

/** Fields that every effect's output may have: why it failed, and its cost. */
export interface EffectOutput {
  readonly failure?: Failure;
  readonly spent?: Spent;
  /** It cannot continue before these are answered: this output is not the end of its step. */
  readonly asks?: Asks;
  /** What people should know about how it was done; each is recorded as a decision of its step. */
  readonly remarks?: readonly string[];
}

/** Questions of an effect. It is called again with the answers. */
export interface Asks {
  /** By name, which becomes the last part of the question's key. */
  readonly questions: { readonly [name: string]: Question };
  /** What the effect needs to continue. */
  readonly memo: JsonValue;
  /** Answers that are known already, by name: nobody is asked. */
  readonly answers?: { readonly [name: string]: Answer };
}

/** Questions of an earlier attempt and their answers. */
export interface Asked {
  readonly memo: JsonValue;
  readonly answers: { readonly [name: string]: Answer };
}

/** The cost of one agent call, or the sum of several. `null`: not reported, which is not 0. */
export interface Spent {
  readonly costUsd: number | null;
  readonly usage?: TokenUsage;
  /** In a sum: further calls of unknown cost, besides those with a cost or, if none has one, besides the first. */
  readonly unknownCalls?: number;
}

/** Where the complete standard output of a step is, if only its beginning is kept. */
export interface OutputLog {
  /** The run that executed the step: a fork and the cache refer to an earlier one. */
  readonly runId: string;
  /** Relative to the folder of that run. */
  readonly file: string;
  /** The size of the complete output: a log of another size is not used. */
  readonly bytes: number;
}

/** The output of an effect that is shown as a step: it has an exit code and something to show. */
export interface WorkOutput extends EffectOutput {
  readonly exitCode: number;
  /** `done`, or the name of the failure: `timed-out`, `rate-limited`, `unproven`, … */
  readonly outcome: string;
  readonly capture?: 'text' | 'lines' | 'json';
  readonly output?: string;
  readonly lines?: readonly string[];
  readonly json?: JsonValue;
  readonly truncated?: boolean;
  readonly log?: OutputLog;
  /** Read from files that the step wrote. */
  readonly values?: { readonly [name: string]: JsonValue };
  /** For `wait_for`: workspace-relative, sorted. */
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

/** Isolated work whose changes are not in the workspace, but on a branch. */
export interface Unmerged {
  readonly branch: string;
  /** For a conflict the files that conflict, otherwise those that it changed. */
  readonly files: readonly string[];
  readonly reason: 'conflict' | 'rejected' | 'failed';
  /** The words of the person who rejected it, or what went wrong. */
  readonly comment?: string;
  /** Its item or branch. */
  readonly item?: JsonValue;
}

export type StepStatus = 'completed' | 'failed' | 'skipped';

/** A step in state, variables and reports: its output, and when and how often it ran. */
export interface StepRecord extends WorkOutput {
  readonly status: StepStatus;
  readonly startedAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** It failed, and `allow_failure` lets the run continue as if it had succeeded. */
  readonly allowed?: boolean;
  /** For a step with `isolate`. */
  readonly unmerged?: readonly Unmerged[];
  /** Only in memory. */
  readonly results?: Results;
}
