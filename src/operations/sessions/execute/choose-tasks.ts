import { error, ok, type Result } from '../../../model/result.ts';
import { pathsOf } from '../../../session/document/focus.ts';
import type { Task } from '../../../session/document/task.ts';
import type { TaskGraph } from '../../../session/document/task-graph.ts';
import type { PlannedTask } from '../../../session/execute/input.ts';
import { openTasks, planTask } from '../../../session/execute/plan-execution.ts';
import type { Problem } from '../../problem.ts';
import { selectTasks, whyNothing } from './select-tasks.ts';

export interface ChosenTasks {
  readonly tasks: readonly Task[];
  readonly planned: readonly PlannedTask[];
}

/** The named tasks, or all open ones. Undefined: all of these are completed. */
export function chooseTasks(
  graph: TaskGraph,
  names: readonly string[],
): Result<ChosenTasks | undefined, Problem> {
  const selected = selectTasks(graph, names);
  if (selected.type === 'error') return selected;
  const tasks = selected.value;
  if (names.length > 0 && tasks.length === 0) return ok(undefined);
  const planned = tasks.map((task) => plannedOf(graph, task));
  if (planned.some(canBegin)) return ok({ tasks, planned });
  const problem = whyNothing(graph);
  return problem === undefined ? ok(undefined) : error(problem);
}

export function hasStartable(graph: TaskGraph): boolean {
  return openTasks(graph).some((task) => canBegin(plannedOf(graph, task)));
}

function plannedOf(graph: TaskGraph, task: Task): PlannedTask {
  return planTask(graph, { ...task, paths: pathsOf(task) });
}

function canBegin({ waitsFor }: PlannedTask): boolean {
  return waitsFor.length === 0;
}
