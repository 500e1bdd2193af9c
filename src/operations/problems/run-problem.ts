/** Problems with runs, their steps and questions, and with the files that a run is started from. */
import type { Advice } from '../../model/advice.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { RunStatus } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Field, FieldProblem } from '../../model/field.ts';
import type { RunId, StepKey } from '../../model/ids.ts';
import type { JournalDamage } from '../../store/journal-file.ts';
import type { Held } from '../../store/lock.ts';
import type { WeighedClaim } from '../../store/trust.ts';
import type { ChangedSteps } from '../../workflow/changed-steps.ts';

export type FindRunProblem =
  | { readonly type: 'no-runs'; readonly asked: string }
  | {
      readonly type: 'no-such-run';
      readonly asked: string;
      readonly near: readonly RunId[];
      readonly newest: readonly RunId[];
    }
  | { readonly type: 'several-runs'; readonly asked: string; readonly found: readonly RunId[] };

export type ReadRunProblem =
  | FindRunProblem
  | { readonly type: 'damaged-run'; readonly runId: RunId; readonly damage: JournalDamage }
  /** Killed before its first record. */
  | { readonly type: 'unbegun-run'; readonly runId: RunId };

export type FindStepProblem =
  | {
      readonly type: 'no-such-step';
      readonly asked: string;
      readonly near: string | undefined;
      readonly steps: readonly StepKey[];
    }
  | { readonly type: 'several-steps'; readonly asked: string; readonly found: readonly StepKey[] };

export type AnswerProblem =
  | ReadRunProblem
  | { readonly type: 'run-has-ended'; readonly runId: RunId; readonly status: RunStatus }
  | { readonly type: 'no-questions'; readonly runId: RunId }
  | {
      readonly type: 'no-such-question';
      readonly runId: RunId;
      readonly asked: string;
      readonly near: string | undefined;
      readonly open: readonly StepKey[];
    }
  | { readonly type: 'several-questions'; readonly asked: string; readonly found: readonly StepKey[] }
  | {
      readonly type: 'no-such-choice';
      readonly key: StepKey;
      readonly choice: string;
      readonly choices: readonly string[];
    }
  | InvalidAnswer
  | { readonly type: 'already-answered'; readonly key: StepKey };

/** An answer that does not fit its question; lists every problem. */
export interface InvalidAnswer {
  readonly type: 'invalid-answer';
  readonly key: StepKey;
  /** The choice is missing or not offered. */
  readonly choice?: { readonly given?: string; readonly choices: readonly string[] };
  readonly problems: readonly FieldProblem[];
  readonly fields: readonly Field[];
}

/** The workflow file has changed since its run was started. */
export interface WorkflowChanged {
  readonly type: 'workflow-changed';
  readonly runId: RunId;
  readonly file: string;
  readonly differences: ChangedSteps;
  /** Keys of completed steps that have not changed themselves, but would now be asked something else. */
  readonly asked?: readonly string[];
}

/** Why a run could not be started or resumed, although preparing it succeeded. */
export type CarryOutProblem =
  | { readonly type: 'run-is-gone'; readonly runId: RunId }
  | { readonly type: 'held-run'; readonly runId: RunId; readonly held: Held }
  | { readonly type: 'damaged-run'; readonly runId: RunId; readonly damage: JournalDamage }
  | {
      readonly type: 'cannot-write';
      readonly runId: RunId;
      readonly failure: Failure;
      /** The run folder exists. */
      readonly isThere: boolean;
    };

/** Files of a folder set what runs here, and the user has not trusted them. */
export interface NotTrusted {
  readonly type: 'not-trusted';
  readonly folder: string;
  readonly claims: readonly WeighedClaim[];
  /** Why it is not known what the user has trusted before, or which runs are the user's own. */
  readonly unread?: string;
}

/** The user's file is invalid; lists every error. */
export interface InvalidFile {
  readonly type: 'invalid-file';
  readonly diagnostics: readonly Diagnostic[];
  readonly help?: Advice;
}

/** A status that was read, or would be written, is invalid; lists every error. */
export interface InvalidStatus {
  readonly type: 'invalid-status';
  /** The file it was read from. */
  readonly file?: string;
  readonly faults: readonly StatusFault[];
}

export interface StatusFault {
  /** JSON path; undefined if the file is not JSON. */
  readonly path?: string;
  /** Line and column count from 1; undefined if there is no readable file. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

export type RunProblem =
  | ReadRunProblem
  | FindStepProblem
  | AnswerProblem
  | CarryOutProblem
  | WorkflowChanged
  | NotTrusted
  | InvalidFile
  | InvalidStatus;
