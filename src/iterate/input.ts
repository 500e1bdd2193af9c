/** What an iterate run is started with, and what comes out of it. All of it is data: it is pinned in the journal. */
import type { AgentChoice } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { Depth, Mode } from './mode.ts';

export const ITERATE_PROGRAM = 'iterate';
export const VERIFY_PROGRAM = 'iterate-verify';
export const VALIDATE_PROGRAM = 'iterate-validate';

export const ITERATE_PROGRAMS = [ITERATE_PROGRAM, VERIFY_PROGRAM, VALIDATE_PROGRAM] as const;

/** What every one of the three programs knows. */
export interface TaskInput {
  readonly runId: string;
  readonly name: string;
  readonly mode: Mode;
  /** Absolute. */
  readonly projectRoot: string;
  readonly workspacePath: string;
  readonly instructions: string;
  readonly agent: AgentChoice;
  readonly permissions?: 'bypass';
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly retry: { readonly maxAttempts: number; readonly delaysMs: readonly number[] };
  /** The built-in agent plays the task through. */
  readonly dryRun?: boolean;
}

export interface IterateInput extends TaskInput {
  /** The text of `.status-instructions.md`, where there is one. */
  readonly statusInstructions?: string;
  readonly maxIterations: number;
  readonly delayMs: number;
  readonly stagnationThreshold: number;
  readonly budgetUsd?: number;
  readonly checks: readonly (readonly string[])[];
  readonly verification: {
    readonly autoVerify: boolean;
    readonly resumeOnFail: boolean;
    readonly maxAttempts: number;
    readonly reportFilename: string;
    readonly depth: Depth;
  };
}

export interface VerifyInput extends TaskInput {
  readonly depth: Depth;
  /** Absolute. */
  readonly reportPath: string;
}

export interface ValidateInput extends TaskInput {
  readonly reportPath: string;
}

export type StopReason =
  | 'complete'
  | 'stagnation'
  | 'max-iterations'
  | 'stopped'
  | 'abort'
  | 'budget'
  | 'verification'
  | 'failed';

export interface IterateOutput {
  readonly stopReason: StopReason;
  readonly iterations: number;
  /** Of `stagnation`. */
  readonly noWork?: number;
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
}
