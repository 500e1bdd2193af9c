/** What an execution is started with and what comes out of it. All of it is data: it is pinned in the journal. */
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
  /** In the order of their ids. */
  readonly tasks: readonly PlannedTask[];
  readonly maxParallel: number;
  readonly onFailure: 'stop' | 'continue';
  readonly withCommit: boolean;
  readonly worktree: boolean;
  /** Role → what the project's own file says about it. */
  readonly roles: { readonly [name: string]: string };
}

export interface PlannedTask {
  readonly id: TaskId;
  /** Leaf tasks that were not completed when the run was started. */
  readonly waitsFor: readonly TaskId[];
  /** What it works on; none: it does not say. */
  readonly paths: readonly string[];
  /** Containers that it waits for → their subtasks: what it goes on from was left by those. */
  readonly parts?: { readonly [container: string]: readonly TaskId[] };
}

export interface TaskCall extends Omit<ExecuteInput, 'tasks' | 'maxParallel' | 'onFailure'> {
  readonly id: TaskId;
  readonly paths: readonly string[];
  readonly parts?: PlannedTask['parts'];
  /** Others may work at the same time. */
  readonly alone: boolean;
}

export interface TaskOutcome {
  readonly status: 'completed' | 'blocked';
  readonly failure?: Failure;
  /** Whole keys of what is to be done again when the run is resumed. */
  readonly retryKeys: readonly StepKey[];
}

export interface ExecuteOutput {
  readonly completed: readonly TaskId[];
  readonly blocked: readonly TaskId[];
  /** Not started: they wait for a task that is blocked, or the run was stopped by one. */
  readonly waiting: readonly TaskId[];
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
}
