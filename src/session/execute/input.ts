/** The input and output of an execution. Both are plain data, recorded in the journal. */
import type { Failure } from '../../model/failure.ts';
import type { RunId, StepKey } from '../../model/ids.ts';
import type { AgentOptions } from '../agent-request.ts';
import type { SessionId, TaskId } from '../ids.ts';
import type { NotMeant } from './still-meant.ts';

export const EXECUTE_PROGRAM = 'session-execute';
export const PLAN_PROGRAM = 'session-plan';

export interface ExecuteInput extends AgentOptions {
  readonly runId: RunId;
  readonly session: SessionId;
  /** Workspace-relative. */
  readonly folder: string;
  /** Only these tasks and their subtasks, also blocked ones; default: all open ones, and those that are added meanwhile. */
  readonly only?: readonly TaskId[];
  readonly maxParallel: number;
  readonly onFailure: 'stop' | 'continue';
  readonly withCommit: boolean;
  readonly worktree: boolean;
  /** A person looks at the work of each task before it is merged. */
  readonly review?: boolean;
  /** Role → the text of its role file in the project. */
  readonly roles: { readonly [name: string]: string };
}

export interface PlannedTask {
  readonly id: TaskId;
  readonly title: string;
  /** Leaf tasks that were not completed when the run was started. */
  readonly waitsFor: readonly TaskId[];
  /** The paths it works on; empty if it declares none. */
  readonly paths: readonly string[];
  /** Containers that it depends on → their subtasks, which left the results it builds on. */
  readonly parts?: { readonly [container: string]: readonly TaskId[] };
}

export interface TaskCall extends Omit<ExecuteInput, 'only' | 'maxParallel' | 'onFailure'> {
  readonly id: TaskId;
  readonly paths: readonly string[];
  readonly parts?: PlannedTask['parts'];
  /** No other task runs at the same time. */
  readonly alone: boolean;
  /** It was created after the run had started, so its role is not in `roles`. */
  readonly isAdded: boolean;
}

export type TaskOutcome = {
  /** Full keys of the calls to repeat when the run is resumed. */
  readonly retryKeys: readonly StepKey[];
  /** … when the task is named while the run waits for answers; default: the same. */
  readonly namedKeys?: readonly StepKey[];
} & (
  | {
      readonly status: 'completed';
      /** It was completed before it started: there is nothing to merge. */
      readonly isThere?: boolean;
    }
  | { readonly status: 'blocked'; readonly failure: Failure }
  /** It is not to be executed any more. */
  | { readonly status: 'not-meant'; readonly why: NotMeant }
);

export interface ExecuteOutput {
  readonly completed: readonly TaskId[];
  readonly blocked: readonly TaskId[];
  /** Not completed and not started: they depend on others, or a failure or a pause stopped the run, or they are not to be executed. */
  readonly waiting: readonly TaskId[];
  /** `session pause` was called meanwhile. */
  readonly paused?: boolean;
  /** Not started, because commands were added to them meanwhile that the user has not agreed to. */
  readonly untrusted?: readonly TaskId[];
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
}
