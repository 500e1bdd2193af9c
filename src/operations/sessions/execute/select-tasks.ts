import { error, ok, type Result } from '../../../model/result.ts';
import type { Task } from '../../../session/document/task.ts';
import { isLeaf, openDependencies, type TaskGraph, waitsFor } from '../../../session/document/task-graph.ts';
import { openLeaves, openTasks } from '../../../session/execute/plan-execution.ts';
import { findTask } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';

/** The named tasks, or all open ones. Naming a blocked task retries it. */
export function selectTasks(graph: TaskGraph, names: readonly string[]): Result<readonly Task[], Problem> {
  if (names.length === 0) return ok(openTasks(graph));
  const named = namedTasks(graph, names);
  if (named.type === 'error') return named;
  const chosen = named.value;
  const ids = new Set(chosen.map((task) => task.id));
  for (const task of chosen) {
    const open = waitsFor(graph, task)
      .flatMap((id) => openLeaves(graph, id))
      .filter((id) => !ids.has(id));
    if (open.length > 0) return error({ type: 'task-waits', task: task.id, open, chosen: [...ids] });
  }
  return ok(graph.tasks.filter((task) => ids.has(task.id)));
}

/** Those that are not completed. */
export function namedTasks(graph: TaskGraph, names: readonly string[]): Result<readonly Task[], Problem> {
  const chosen: Task[] = [];
  for (const name of names) {
    const found = findTask(graph, name);
    if (found.type === 'error') return found;
    const { id, status } = found.value;
    if (!isLeaf(graph, id)) {
      const children = (graph.children.get(id) ?? []).map((child) => child.id);
      return error({ type: 'container-not-executed', task: id, subtasks: children });
    }
    if (status !== 'completed') chosen.push(found.value);
  }
  return ok(chosen);
}

/** Why nothing can be executed, and what to do about it. */
export function whyNothing(graph: TaskGraph): Problem | undefined {
  const open = graph.tasks.filter((task) => isLeaf(graph, task.id) && task.status !== 'completed');
  if (open.length === 0) return undefined;
  const blocked = open.filter((task) => task.status === 'blocked');
  const [first] = blocked;
  if (first === undefined) {
    const [waiting] = open;
    const waits = waiting === undefined ? [] : openDependencies(graph, waiting);
    return { type: 'no-task-ready', task: waiting?.id ?? '', open: waits };
  }
  return { type: 'tasks-blocked', first: first.id, tasks: blocked.map((task) => task.id) };
}
