import type { AgentOutcome } from './agent.ts';
import { unreachable } from './unreachable.ts';

/** Why a step or run failed: a value in a closed list, recorded in the journal, never thrown. */
export type Failure =
  | { readonly type: 'exit-code'; readonly exitCode: number; readonly signal?: string }
  | { readonly type: 'timed-out'; readonly afterMs: number; readonly waitedFor?: WantedFiles }
  | { readonly type: 'idle'; readonly afterMs: number }
  | { readonly type: 'not-found'; readonly program: string }
  | {
      readonly type: 'cannot-start';
      readonly program: string;
      readonly code: string;
      readonly reason: string;
    }
  /** The step asks for a sandbox, and there is none: nothing was started. */
  | { readonly type: 'no-sandbox'; readonly reason: string; readonly help: string }
  | {
      readonly type: 'invalid-output';
      readonly reason: 'invalid' | 'overflow' | 'schema';
      readonly message: string;
    }
  | { readonly type: 'undefined-variables'; readonly names: readonly string[] }
  /** The value exists but cannot be used where it is needed. */
  | { readonly type: 'unusable-values'; readonly reasons: readonly string[] }
  | { readonly type: 'missing-placeholders'; readonly names: readonly string[] }
  | { readonly type: 'missing-dependencies'; readonly patterns: readonly string[] }
  | { readonly type: 'bad-pointer'; readonly pointer: string; readonly reason: string }
  | { readonly type: 'unsafe-path'; readonly path: string; readonly reason: string }
  | { readonly type: 'file'; readonly operation: string; readonly path: string; readonly code: string }
  /** A folder of the run is no longer at `path`; `to` is its new path, if known. */
  | { readonly type: 'moved'; readonly path: string; readonly to?: string }
  | { readonly type: 'prompt-too-long'; readonly bytes: number; readonly limit: number }
  | { readonly type: 'agent'; readonly outcome: AgentOutcome }
  /** `by`: what rejected it, unless a check did. */
  | { readonly type: 'unproven'; readonly reasons: readonly string[]; readonly by?: 'verification' }
  /** Isolated work and something else changed the same lines. `isUncommitted`: what it conflicts with is not committed. */
  | {
      readonly type: 'conflict';
      readonly files: readonly string[];
      /** Where the work is. */
      readonly branch?: string;
      readonly isUncommitted?: boolean;
    }
  /** A person did not accept isolated work. */
  | { readonly type: 'rejected'; readonly comment?: string; readonly branch: string }
  | { readonly type: 'too-many-visits'; readonly step: string; readonly limit: number }
  /** `what` still held; default: the condition was false. */
  | { readonly type: 'exhausted'; readonly iterations: number; readonly what?: string }
  | { readonly type: 'branches-failed'; readonly causes: readonly BranchCause[] }
  | { readonly type: 'over-budget'; readonly limit: string; readonly spent: string }
  | { readonly type: 'no-answer'; readonly question: string }
  | { readonly type: 'replay-mismatch'; readonly message: string }
  /** The agent itself reports that the task cannot be done. */
  | { readonly type: 'gave-up'; readonly reason: string }
  /** Every worker that ran the step died, this many times in a row. */
  | { readonly type: 'worker-lost'; readonly times: number }
  /** The workflow itself ended the run as failed, with `end`. */
  | { readonly type: 'ended'; readonly message: string }
  /** A workflow in code threw an error or used its context wrongly. `at`: `review.workflow.ts:13:32`. */
  | { readonly type: 'program-error'; readonly message: string; readonly at?: string }
  /** A function of a workflow in code threw an error. */
  | { readonly type: 'function-failed'; readonly message: string; readonly at?: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'internal-error'; readonly message: string };

/** Files that were waited for and did not all appear. */
export interface WantedFiles {
  readonly glob: string;
  readonly wanted: number;
  readonly found: number;
}

export interface BranchCause {
  readonly branch: string;
  /** The name of the item, if it is one of a loop. */
  readonly item?: string;
  readonly message: string;
}

/** How to react to a failure, independent of any retry policy. */
export type Advice =
  | { readonly type: 'retry' }
  | { readonly type: 'wait'; readonly until: string | undefined }
  | { readonly type: 'give-up' }
  | { readonly type: 'ask' };

export function adviceFor(failure: Failure): Advice {
  switch (failure.type) {
    case 'agent':
      return adviceForOutcome(failure.outcome);
    case 'timed-out':
    case 'idle':
    case 'exit-code':
    case 'function-failed':
      return { type: 'retry' };
    case 'no-answer':
      return { type: 'ask' };
    case 'not-found':
    case 'cannot-start':
    case 'no-sandbox':
    case 'invalid-output':
    case 'undefined-variables':
    case 'unusable-values':
    case 'missing-placeholders':
    case 'missing-dependencies':
    case 'bad-pointer':
    case 'unsafe-path':
    case 'file':
    case 'moved':
    case 'prompt-too-long':
    case 'unproven':
    case 'conflict':
    case 'rejected':
    case 'too-many-visits':
    case 'exhausted':
    case 'branches-failed':
    case 'over-budget':
    case 'replay-mismatch':
    case 'gave-up':
    case 'worker-lost':
    case 'ended':
    case 'program-error':
    case 'cancelled':
    case 'internal-error':
      return { type: 'give-up' };
    default:
      return unreachable(failure);
  }
}

function adviceForOutcome(outcome: AgentOutcome): Advice {
  switch (outcome.type) {
    case 'rate-limited':
      return { type: 'wait', until: outcome.resetsAt };
    case 'overloaded':
    case 'api-error':
    case 'timed-out':
    case 'idle':
    case 'crashed':
      return { type: 'retry' };
    case 'denied':
    case 'auth':
      return { type: 'ask' };
    case 'done':
    case 'hung-after-result':
    case 'max-turns':
    case 'over-budget':
    case 'invalid-input':
    case 'not-found':
      return { type: 'give-up' };
    default:
      return unreachable(outcome);
  }
}

/** The exit code a step reports: 1 retryable, 2 invalid input or contract, 3 failed proof, 124 timeout. */
export function exitCodeFor(failure: Failure): number {
  switch (failure.type) {
    case 'exit-code':
      return failure.exitCode;
    case 'timed-out':
    case 'idle':
    case 'no-answer':
      return 124;
    case 'not-found':
      return 127;
    case 'cannot-start':
    case 'no-sandbox':
      return 126;
    case 'invalid-output':
    case 'undefined-variables':
    case 'unusable-values':
    case 'missing-placeholders':
    case 'missing-dependencies':
    case 'bad-pointer':
    case 'unsafe-path':
    case 'prompt-too-long':
    case 'replay-mismatch':
      return 2;
    case 'unproven':
      return 3;
    case 'agent':
      return exitCodeForOutcome(failure.outcome);
    case 'file':
    case 'moved':
    case 'conflict':
    case 'rejected':
    case 'too-many-visits':
    case 'exhausted':
    case 'branches-failed':
    case 'over-budget':
    case 'gave-up':
    case 'worker-lost':
    case 'ended':
    case 'program-error':
    case 'function-failed':
    case 'cancelled':
      return 1;
    case 'internal-error':
      return 70;
    default:
      return unreachable(failure);
  }
}

function exitCodeForOutcome(outcome: AgentOutcome): number {
  switch (outcome.type) {
    case 'done':
    case 'hung-after-result':
      return 0;
    case 'timed-out':
    case 'idle':
      return 124;
    case 'not-found':
      return 127;
    case 'invalid-input':
    case 'auth':
    case 'denied':
      return 2;
    case 'rate-limited':
    case 'overloaded':
    case 'api-error':
    case 'max-turns':
    case 'over-budget':
    case 'crashed':
      return 1;
    default:
      return unreachable(outcome);
  }
}

/** The short name stored as a step's `outcome`. */
export function outcomeName(failure: Failure): string {
  return failure.type === 'agent' ? failure.outcome.type : failure.type;
}
