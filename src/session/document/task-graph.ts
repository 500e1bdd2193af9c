/**
 * The tasks of a session as a graph: containers, dependencies, and the statuses derived from them.
 *
 * G1 A task with subtasks is a container: its status is derived from theirs and its own is ignored.
 * G2 A subtask also has its parent's dependencies.
 * G3 A dependency on a container is met when all its subtasks are completed.
 * G4 A dependency that names a task in another form (`IMPL-001.5` for `IMPL-001.5-review`) is one on that task.
 */

import { compareNumbers, compareTaskIds, numberOf, numberText, type TaskId } from '../ids.ts';
import type { Task, TaskOutline, TaskStatus } from './task.ts';

export interface TaskGraph<T extends TaskOutline = Task> {
  /** In id order. */
  readonly tasks: readonly T[];
  readonly byId: ReadonlyMap<TaskId, T>;
  readonly children: ReadonlyMap<TaskId, readonly T[]>;
  /** G1: the statuses of containers. */
  readonly derived: ReadonlyMap<TaskId, TaskStatus>;
  /** G4: dependencies in another form, with the ids of their tasks. */
  readonly aliases: ReadonlyMap<TaskId, TaskId>;
}

export type OutlineGraph = TaskGraph<TaskOutline>;

export function createTaskGraph<T extends TaskOutline>(unordered: readonly T[]): TaskGraph<T> {
  const ordered = inOrder(unordered);
  const aliases = aliasesIn(ordered);
  const tasks = aliases.size === 0 ? ordered : ordered.map((task) => withoutAliases(task, aliases));
  const children = new Map<TaskId, T[]>();
  for (const task of tasks) {
    if (task.parent === undefined) continue;
    const siblings = children.get(task.parent);
    if (siblings === undefined) children.set(task.parent, [task]);
    else siblings.push(task);
  }
  const derived = new Map<TaskId, TaskStatus>();
  for (const [id, list] of children) derived.set(id, derivedStatus(list.map((child) => child.status)));
  return { tasks, byId: new Map(tasks.map((task) => [task.id, task])), children, derived, aliases };
}

/** G4 */
function aliasesIn(tasks: readonly TaskOutline[]): ReadonlyMap<TaskId, TaskId> {
  const ids = new Set(tasks.map(({ id }) => id));
  const unknown = new Set<TaskId>();
  for (const { dependsOn } of tasks) for (const id of dependsOn) if (!ids.has(id)) unknown.add(id);
  if (unknown.size === 0) return NO_ALIASES;
  const byNumber = new Map(tasks.map(({ id }) => [numberText(id), id]));
  return new Map(
    [...unknown].flatMap((id) => {
      const meant = byNumber.get(numberText(id));
      return meant === undefined ? [] : [[id, meant] as const];
    }),
  );
}

const NO_ALIASES: ReadonlyMap<TaskId, TaskId> = new Map();

function withoutAliases<T extends TaskOutline>(task: T, aliases: ReadonlyMap<TaskId, TaskId>): T {
  if (!task.dependsOn.some((id) => aliases.has(id))) return task;
  return { ...task, dependsOn: task.dependsOn.map((id) => aliases.get(id) ?? id) };
}

/** Parses each id once. */
function inOrder<T extends TaskOutline>(tasks: readonly T[]): readonly T[] {
  return tasks
    .map((task) => ({ task, number: numberOf(task.id) }))
    .sort((a, b) => compareNumbers(a.number, b.number) || compareTaskIds(a.task.id, b.task.id))
    .map(({ task }) => task);
}

export function isLeaf(graph: OutlineGraph, id: TaskId): boolean {
  return !graph.children.has(id);
}

export function leavesOf<T extends TaskOutline>(graph: TaskGraph<T>): readonly T[] {
  return graph.tasks.filter((task) => isLeaf(graph, task.id));
}

/** G1 */
export function statusOf(graph: OutlineGraph, id: TaskId): TaskStatus | undefined {
  return graph.derived.get(id) ?? graph.byId.get(id)?.status;
}

export function derivedStatus(children: readonly TaskStatus[]): TaskStatus {
  if (children.every((status) => status === 'completed')) return 'completed';
  if (children.includes('active')) return 'active';
  return children.includes('blocked') ? 'blocked' : 'container';
}

/** G2 */
export function waitsFor(graph: OutlineGraph, task: TaskOutline): readonly TaskId[] {
  const parent = task.parent === undefined ? undefined : graph.byId.get(task.parent);
  return parent === undefined ? task.dependsOn : [...new Set([...task.dependsOn, ...parent.dependsOn])];
}

export function openDependencies(graph: OutlineGraph, task: TaskOutline): readonly TaskId[] {
  return waitsFor(graph, task).filter((id) => statusOf(graph, id) !== 'completed');
}

/** A leaf that is pending, or left active by a run that has ended, with all dependencies completed. */
export function readyTasks<T extends TaskOutline>(graph: TaskGraph<T>, overRun?: string): readonly T[] {
  const isOpen = ({ status, execution }: T): boolean =>
    status === 'pending' || (status === 'active' && overRun !== undefined && execution.runId === overRun);
  return graph.tasks.filter(
    (task) => isOpen(task) && isLeaf(graph, task.id) && openDependencies(graph, task).length === 0,
  );
}

/**
 * A dependency cycle, or undefined. A container depends on its subtasks, a subtask on its parent's
 * dependencies.
 */
export function findCycle(graph: OutlineGraph): readonly TaskId[] | undefined {
  const done = new Set<TaskId>();
  for (const task of graph.tasks) {
    const found = done.has(task.id) ? undefined : cycleBehind(graph, task, done);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Stop {
  readonly id: TaskId;
  /** Its dependencies that have not been visited yet. */
  readonly ahead: Iterator<TaskId>;
}

/** Not recursive: a chain may be longer than the call stack. */
function cycleBehind(
  graph: OutlineGraph,
  task: TaskOutline,
  done: Set<TaskId>,
): readonly TaskId[] | undefined {
  const trail: Stop[] = [];
  const onTrail = new Set<TaskId>();
  const enter = (next: TaskOutline): void => {
    const parts = (graph.children.get(next.id) ?? []).map(({ id }) => id);
    trail.push({ id: next.id, ahead: [...waitsFor(graph, next), ...parts].values() });
    onTrail.add(next.id);
  };
  enter(task);
  for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
    const { value: id, done: isEnd } = last.ahead.next();
    if (isEnd === true) {
      trail.pop();
      onTrail.delete(last.id);
      done.add(last.id);
      continue;
    }
    if (onTrail.has(id)) return ringOf(trail, id);
    const next = done.has(id) ? undefined : graph.byId.get(id);
    if (next !== undefined) enter(next);
  }
  return undefined;
}

function ringOf(trail: readonly Stop[], id: TaskId): readonly TaskId[] {
  const ids = trail.map((stop) => stop.id);
  return [...ids.slice(ids.indexOf(id)), id];
}

export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly active: number;
  readonly blocked: number;
  readonly pending: number;
}

/** Counts leaf tasks only: containers have no work of their own. */
export function countTasks(graph: OutlineGraph): TaskCounts {
  const counts = { total: 0, completed: 0, active: 0, blocked: 0, pending: 0 };
  for (const task of leavesOf(graph)) {
    counts.total += 1;
    counts[task.status === 'container' ? 'pending' : task.status] += 1;
  }
  return counts;
}
