/** The input and output of an iterate run. Both are plain data, recorded in the journal. */
import type { AgentChoice } from '../effects/contracts.ts';
import type { AskRule } from '../model/ask-rule.ts';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { SandboxChoice } from '../model/sandbox.ts';
import type { Depth, Mode } from './mode.ts';
import type { LoopBudget, RunOptions } from './run-options.ts';

export const ITERATE_PROGRAM = 'iterate';
export const VERIFY_PROGRAM = 'iterate-verify';
export const VALIDATE_PROGRAM = 'iterate-validate';

export const ITERATE_PROGRAMS = [ITERATE_PROGRAM, VERIFY_PROGRAM, VALIDATE_PROGRAM] as const;

/** The input shared by all three programs. */
export interface TaskInput {
  readonly runId: string;
  readonly name: string;
  readonly mode: Mode;
  /** The workspace of the run, as `.`; the loop's own folder is relative to it, absolute only outside it. */
  readonly projectRoot: string;
  readonly workspacePath: string;
  readonly instructions: string;
  readonly agent: AgentChoice;
  /** As the user named it. */
  readonly agentName?: string;
  /** Called in order when the agent has reached its usage limit or cannot be used. */
  readonly fallback?: readonly FallbackAgent[];
  /** The agent itself stops when it has spent what is left of a budget in money. */
  readonly limitsSpending?: boolean;
  readonly permissions?: 'bypass';
  /** What the agent and the checks may touch. */
  readonly sandbox?: SandboxChoice;
  /** Rules for the tool calls of the agent. */
  readonly ask?: readonly AskRule[];
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly retry: { readonly maxAttempts: number; readonly delaysMs: readonly number[] };
  /** Use the built-in agent. */
  readonly dryRun?: boolean;
}

export interface FallbackAgent {
  readonly name: string;
  readonly choice: AgentChoice;
  readonly limitsSpending?: boolean;
}

/** They may change when a run is resumed. */
export interface LoopLimits {
  readonly maxIterations: number;
  readonly delayMs: number;
  readonly stagnationThreshold: number;
  readonly budget?: LoopBudget;
  /** The last change by `set` that is included; ISO 8601. */
  readonly setSeen?: string;
}

/** What a loop does with git. */
export interface LoopGit {
  /** One commit per iteration. */
  readonly checkpoint: boolean;
  /** Where the commits are made; default: the current branch. */
  readonly branch?: string;
  /** It works in a worktree of its own. */
  readonly worktree: boolean;
}

export interface IterateInput extends TaskInput, LoopLimits {
  /** The text of `.status-instructions.md`, if it exists. */
  readonly statusInstructions?: string;
  /** For a resumed run: the limits of its first iterations, `until` the last one they apply to. */
  readonly earlierLimits?: readonly (LoopLimits & { readonly until: number })[];
  /** For a run that is resumed after others have counted: the counters of the workspace without its own iterations. */
  readonly countedBefore?: CountedBefore;
  /** The options it was started with, for a resumed run. */
  readonly given?: RunOptions;
  readonly git?: LoopGit;
  readonly checks: readonly (readonly string[])[];
  readonly checkTimeoutMs?: number;
  readonly verification: {
    readonly autoVerify: boolean;
    readonly resumeOnFail: boolean;
    readonly maxAttempts: number;
    readonly reportFilename: string;
    readonly depth: Depth;
  };
}

/** The counters before a run, to which the run's own count is added. */
export interface CountedBefore {
  readonly totalIterations: number;
  readonly executionIterations: number;
}

export interface VerifyInput extends TaskInput {
  readonly depth: Depth;
  /** Relative to the project, absolute only outside it. */
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
  /** For `stagnation`. */
  readonly noWork?: number;
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
  /** What the agent last said, if the failure does not. */
  readonly said?: string;
  /** The command that continues it, if that is not just a resume. */
  readonly continueWith?: string;
}
