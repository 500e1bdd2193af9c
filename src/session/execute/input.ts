/** The input and output of an execution. Both are plain data, recorded in the journal. */
import type { Failure } from '../../model/failure.ts';
import type { RunId, StepKey } from '../../model/ids.ts';
import type { AgentOptions } from '../agent-request.ts';
import type { SessionId, TaskId } from '../ids.ts';

export const EXECUTE_PROGRAM = 'session-execute';
export const PLAN_PROGRAM = 'session-plan';

export interface ExecuteInput extends AgentOptions {
  readonly runId: RunId;
  readonly session: SessionId;
  /** Workspace-relative. */
  readonly folder: string;
  /** In id order. */
  readonly tasks: readonly PlannedTask[];
  readonly maxParallel: number;
  readonly onFailure: 'stop' | 'continue';
  readonly withCommit: boolean;
  readonly worktree: boolean;
  /** Role → the text of its role file in the project. */
  readonly roles: { readonly [name: string]: string };
}

export interface PlannedTask {
  readonly id: TaskId;
  /** Leaf tasks that were not completed when the run was started. */
  readonly waitsFor: readonly TaskId[];
  /** The paths it works on; empty if it declares none. */
  readonly paths: readonly string[];
  /** Containers that it depends on → their subtasks, which left the results it builds on. */
  readonly parts?: { readonly [container: string]: readonly TaskId[] };
}

export interface TaskCall extends Omit<ExecuteInput, 'tasks' | 'maxParallel' | 'onFailure'> {
  readonly id: TaskId;
  readonly paths: readonly string[];
  readonly parts?: PlannedTask['parts'];
  /** Other tasks may run at the same time. */
  readonly alone: boolean;
}

export interface TaskOutcome {
  readonly status: 'completed' | 'blocked';
  readonly failure?: Failure;
  /** Full keys of the calls to repeat when the run is resumed. */
  readonly retryKeys: readonly StepKey[];
}

export interface ExecuteOutput {
  readonly completed: readonly TaskId[];
  readonly blocked: readonly TaskId[];
  /** Not started, because they depend on a blocked task or because a blocked task stopped the run. */
  readonly waiting: readonly TaskId[];
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
}
