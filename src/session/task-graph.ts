/**
 * The tasks of a session as one graph: who holds whom, who waits for whom, and what follows from it.
 *
 * G1 A task with subtasks is a container: its status is derived from theirs, whatever its own document says.
 * G2 A subtask waits for what its parent waits for.
 * G3 A dependency on a container is met when all its subtasks are completed.
 */
import type { Task, TaskStatus } from './document/task.ts';
import { compareTaskIds, type TaskId } from './ids.ts';

export interface TaskGraph {
  /** In the order of their ids. */
  readonly tasks: readonly Task[];
  readonly byId: ReadonlyMap<TaskId, Task>;
  readonly children: ReadonlyMap<TaskId, readonly Task[]>;
}

export function createTaskGraph(unordered: readonly Task[]): TaskGraph {
  const tasks = [...unordered].sort((a, b) => compareTaskIds(a.id, b.id));
  const children = new Map<TaskId, Task[]>();
  for (const task of tasks) {
    if (task.parent === undefined) continue;
    const siblings = children.get(task.parent);
    if (siblings === undefined) children.set(task.parent, [task]);
    else siblings.push(task);
  }
  return { tasks, byId: new Map(tasks.map((task) => [task.id, task])), children };
}

export function isLeaf(graph: TaskGraph, id: TaskId): boolean {
  return !graph.children.has(id);
}

export function leavesOf(graph: TaskGraph): readonly Task[] {
  return graph.tasks.filter((task) => isLeaf(graph, task.id));
}

/** G1 */
export function statusOf(graph: TaskGraph, id: TaskId): TaskStatus | undefined {
  const children = graph.children.get(id);
  return children === undefined
    ? graph.byId.get(id)?.status
    : derivedStatus(children.map((child) => child.status));
}

export function derivedStatus(children: readonly TaskStatus[]): TaskStatus {
  if (children.every((status) => status === 'completed')) return 'completed';
  if (children.includes('active')) return 'active';
  return children.includes('blocked') ? 'blocked' : 'container';
}

/** G2 */
export function waitsFor(graph: TaskGraph, task: Task): readonly TaskId[] {
  const parent = task.parent === undefined ? undefined : graph.byId.get(task.parent);
  return parent === undefined ? task.dependsOn : [...new Set([...task.dependsOn, ...parent.dependsOn])];
}

export function openDependencies(graph: TaskGraph, task: Task): readonly TaskId[] {
  return waitsFor(graph, task).filter((id) => statusOf(graph, id) !== 'completed');
}

/** Leaf, pending, and nothing left to wait for. */
export function readyTasks(graph: TaskGraph): readonly Task[] {
  return graph.tasks.filter(
    (task) =>
      task.status === 'pending' && isLeaf(graph, task.id) && openDependencies(graph, task).length === 0,
  );
}

/**
 * A ring of tasks that wait for each other, or nothing. A container waits for its subtasks, a subtask for what its parent
 * waits for.
 */
export function findCycle(graph: TaskGraph): readonly TaskId[] | undefined {
  const done = new Set<TaskId>();
  const trail: TaskId[] = [];
  const onTrail = new Set<TaskId>();
  const visit = (id: TaskId): readonly TaskId[] | undefined => {
    if (onTrail.has(id)) return [...trail.slice(trail.indexOf(id)), id];
    const task = graph.byId.get(id);
    if (task === undefined || done.has(id)) return undefined;
    trail.push(id);
    onTrail.add(id);
    for (const next of [...waitsFor(graph, task), ...(graph.children.get(id) ?? []).map((each) => each.id)]) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    trail.pop();
    onTrail.delete(id);
    done.add(id);
    return undefined;
  };
  for (const task of graph.tasks) {
    const found = visit(task.id);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly active: number;
  readonly blocked: number;
  readonly pending: number;
}

/** Of the leaf tasks: containers hold no work of their own. */
export function countTasks(graph: TaskGraph): TaskCounts {
  const counts = { total: 0, completed: 0, active: 0, blocked: 0, pending: 0 };
  for (const task of leavesOf(graph)) {
    counts.total += 1;
    counts[task.status === 'container' ? 'pending' : task.status] += 1;
  }
  return counts;
}
