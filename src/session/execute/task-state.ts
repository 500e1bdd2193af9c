import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';
import type { Task } from '../document/task.ts';
import type { Asker } from './asking.ts';
import type { TaskCall } from './input.ts';

/** A running task. */
export interface TaskWork {
  readonly durable: OrchestrateDurable;
  readonly call: TaskCall;
  readonly task: Task;
  /** The outputs of earlier steps, by name. */
  readonly outputs: { [name: string]: string };
  readonly spent: Spent[];
  /** What `pre_analysis` leaves to the agent. */
  readonly toGather: ToGather[];
  readonly asker: Asker;
  /** The text of the role file of its agent. */
  readonly role?: string;
  /** The folder that everything runs in, workspace-relative. */
  readonly cwd?: string;
}

export interface ToGather {
  readonly action: string;
  readonly command: string;
}

/** Undefined: it succeeded. */
export interface WorkFailure {
  readonly failure: Failure;
  /** Keys within the task's branch. */
  readonly again: readonly StepKey[];
}

export function taskPath(call: TaskCall, id: string = call.id): string {
  return `${call.folder}/.task/${id}.json`;
}

/** Includes the cost of earlier runs; what this run has spent is in its own records. Undefined if no agent was called. */
export function totalSpent({ task, call, spent }: TaskWork): Spent | undefined {
  const before = task.execution.runId === call.runId ? undefined : task.execution.spent;
  return sumSpent([...(before === undefined ? [] : [before]), ...spent]);
}

/** Includes the time of earlier runs; call it when `task@ended` was read. */
export function totalWorkedMs({ durable, task, call }: TaskWork): number {
  const before = task.execution.runId === call.runId ? 0 : (task.execution.workedMs ?? 0);
  return before + durable.workedBetween(sideKey(TASK_KEY, 'began'), sideKey(TASK_KEY, 'ended'));
}

export const TASK_KEY = stepKey('task');
