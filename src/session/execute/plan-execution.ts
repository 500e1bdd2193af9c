/** Turns the current tasks into the input of an execution. */

import type { Task, TaskOutline } from '../document/task.ts';
import { isLeaf, type OutlineGraph, statusOf, type TaskGraph, waitsFor } from '../document/task-graph.ts';
import type { TaskId } from '../ids.ts';
import type { PlannedTask } from './input.ts';

/** Open leaf tasks, including those left active by a run that died. */
export function openTasks(graph: TaskGraph): readonly Task[] {
  return graph.tasks.filter(
    (task) => isLeaf(graph, task.id) && (task.status === 'pending' || task.status === 'active'),
  );
}

export function planTask(
  graph: OutlineGraph,
  task: TaskOutline & { readonly paths: readonly string[] },
): PlannedTask {
  const dependencies = waitsFor(graph, task);
  const waits = dependencies.flatMap((id) => openLeaves(graph, id));
  const parts = dependencies.flatMap((id) => {
    const children = graph.children.get(id);
    return children === undefined ? [] : [[id, children.map((child) => child.id)] as const];
  });
  const aliases = [...graph.aliases].filter(([, id]) => dependencies.includes(id));
  for (const [alias, id] of aliases)
    parts.push([alias, graph.children.get(id)?.map((child) => child.id) ?? [id]]);
  return {
    id: task.id,
    title: task.title,
    waitsFor: [...new Set(waits)],
    paths: task.paths,
    ...(parts.length === 0 ? {} : { parts: Object.fromEntries(parts) }),
  };
}

/** The dependency, or the subtasks of a container, unless completed. */
export function openLeaves(graph: OutlineGraph, id: TaskId): readonly TaskId[] {
  if (statusOf(graph, id) === 'completed') return [];
  const children = graph.children.get(id);
  if (children === undefined) return [id];
  return children.filter((child) => child.status !== 'completed').map((child) => child.id);
}
