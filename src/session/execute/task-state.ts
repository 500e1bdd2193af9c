import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import type { Task } from '../document/task.ts';
import type { TaskCall } from './input.ts';

/** One task while it is worked on. */
export interface TaskWork {
  readonly durable: OrchestrateDurable;
  readonly call: TaskCall;
  readonly task: Task;
  /** What earlier steps gave, by the names they were given. */
  readonly outputs: { [name: string]: string };
  readonly spent: Spent[];
  /** Workspace-relative folder that everything runs in. */
  readonly cwd?: string;
}

/** Nothing: it went well. */
export interface WorkFailure {
  readonly failure: Failure;
  /** Keys within the task's branch. */
  readonly again: readonly StepKey[];
}

export function taskPath(call: TaskCall, id: string = call.id): string {
  return `${call.folder}/.task/${id}.json`;
}

/** `undefined` where no agent was called, `null` where one did not say. */
export function costOf(spent: readonly Spent[]): number | null | undefined {
  return spent.map(({ costUsd }) => costUsd).reduce<number | null | undefined>(addCost, undefined);
}

/** Unknown stays unknown. */
export function addCost(
  before: number | null | undefined,
  now: number | null | undefined,
): number | null | undefined {
  if (before === undefined || now === undefined) return now === undefined ? before : now;
  return before === null || now === null ? null : before + now;
}

/** With what earlier runs have spent on it; what this run did before is in its own records. */
export function totalCost({ task, call, spent }: TaskWork): number | null | undefined {
  const isSameRun = task.execution.runId === call.runId;
  return addCost(isSameRun ? undefined : task.execution.costUsd, costOf(spent));
}

export const TASK_KEY = stepKey('task');
