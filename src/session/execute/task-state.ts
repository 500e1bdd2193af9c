import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';
import type { Figures, FiguresByRun } from '../document/figures.ts';
import { figuresByRun, type Task } from '../document/task.ts';
import type { Asker } from './asking.ts';
import type { TaskCall } from './input.ts';
import type { TaskSteps } from './outline.ts';

/** A running task. */
export interface TaskWork {
  readonly durable: OrchestrateDurable;
  readonly call: TaskCall;
  readonly task: Task;
  readonly steps: TaskSteps;
  readonly parent?: Task;
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
  /** What a resumed run repeats: keys within the task's branch. Empty: the user has decided, and would only be asked again. */
  readonly again: readonly StepKey[];
  /** What is repeated then, if the user names the task. */
  readonly ifNamed?: readonly StepKey[];
}

export function taskPath(call: TaskCall, id: string = call.id): string {
  return `${call.folder}/.task/${id}.json`;
}

/**
 * The figures of all runs, with those of this one; call it when `task@ended` was read. What this run has spent is in its own records, also
 * for earlier attempts, even if they made other calls; the time of those is in the document.
 */
export function figuresNow({ durable, task, call, spent }: TaskWork): FiguresByRun {
  const before = figuresByRun(task.execution);
  const own: Figures = before[call.runId] ?? {};
  const took = durable.workedBetween(sideKey(TASK_KEY, 'began'), sideKey(TASK_KEY, 'ended'));
  return {
    ...before,
    [call.runId]: {
      ...defined({ spent: sumSpent([...spent, ...durable.spentElsewhere()]) ?? own.spent }),
      workedMs: (own.workedMs ?? 0) + took,
    },
  };
}

export const TASK_KEY = stepKey('task');
/** Not part of the task's own bookkeeping: changes of an earlier attempt are the task's work too. */
export const TREE_KEY = stepKey('tree');
/** The work itself, and the look at its result. */
export const WORK_KEYS = [stepKey('implementation'), stepKey('acceptance'), sideKey(TREE_KEY, 'after')];
