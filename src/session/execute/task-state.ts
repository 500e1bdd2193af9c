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
  if (spent.length === 0) return undefined;
  if (spent.some(({ costUsd }) => costUsd === null)) return null;
  return spent.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

export const TASK_KEY = stepKey('task');
