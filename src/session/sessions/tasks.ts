/** Creates, changes and decomposes tasks. Views are updated at once. */
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { createDocument, updateDocument } from '../../store/document.ts';
import { finishAdding } from '../add-tasks.ts';
import { object } from '../document/fields.ts';
import { FreeIds } from '../document/free-ids.ts';
import { newTask, type TaskFields } from '../document/new-task.ts';
import { parseObject } from '../document/parse-object.ts';
import { readOutlines, readTasks } from '../document/read-tasks.ts';
import { readTask, type Task, type TaskStatus } from '../document/task.ts';
import {
  createTaskGraph,
  findCycle,
  isLeaf,
  type OutlineGraph,
  type TaskGraph,
} from '../document/task-graph.ts';
import { parentIdOf, parseTaskId, type TaskId } from '../ids.ts';
import { taskFile } from '../layout.ts';
import type { SessionProblem } from '../problem.ts';
import { bringInLine, withSession } from '../views/write-views.ts';
import { broken, type Session } from './sessions.ts';

export function loadGraph(session: Session): TaskGraph {
  return createTaskGraph(readTasks(session.paths));
}

export interface Outline {
  readonly graph: OutlineGraph;
  /** Files of `.task` that contain no task, or none that can have this name. */
  readonly stray: readonly string[];
}

/** For display only: lists, progress, ready tasks. */
export function loadOutline(session: Session): Outline {
  const { outlines, stray } = readOutlines(session.paths);
  return { graph: createTaskGraph(outlines), stray };
}

export function findTask(graph: TaskGraph, text: string): Result<Task, SessionProblem> {
  const task = graph.byId.get(text as TaskId);
  if (task !== undefined) return ok(task);
  const near = nearest(text, graph.byId.keys());
  return error({ type: 'no-such-task', task: text, near });
}

export interface NewTask extends TaskFields {
  readonly parent?: string;
}

export interface MadeTasks {
  readonly tasks: readonly Task[];
  readonly kept: readonly KeptFile[];
}

/** Several at once when a task is decomposed. */
export async function createTasks(
  session: Session,
  wanted: readonly NewTask[],
): Promise<Result<MadeTasks, SessionProblem>> {
  if (session.isArchived) return error({ type: 'session-completed', session: session.id });
  const done = await withSession(session.paths, async () => {
    finishAdding(session.paths);
    const graph = loadGraph(session);
    const made: Task[] = [];
    const documents: JsonObject[] = [];
    for (const one of wanted) {
      const document = documentFor(one, graph, made);
      if (document.type === 'error') return document;
      const task = readTask(document.value);
      if (task === undefined) throw new Error('a new task has no id');
      made.push(task);
      documents.push(document.value);
    }
    // Only a subtask can close a cycle: a task may depend on its parent.
    const ring = made.some((task) => task.parent !== undefined && task.dependsOn.length > 0)
      ? ringProblem([...graph.tasks, ...made])
      : undefined;
    if (ring !== undefined) return error(ring);
    for (const [index, document] of documents.entries()) {
      const task = made[index];
      if (task === undefined) continue;
      const created = await createDocument(taskFile(session.paths, task.id), document);
      if (created.type === 'error') return error(broken(created.error));
    }
    const views = await bringInLine(session.paths);
    return views.type === 'error' ? error(broken(views.error)) : ok({ tasks: made, kept: views.value.kept });
  });
  return done.type === 'ok' ? done.value : error(broken(done.error));
}

function documentFor(
  wanted: NewTask,
  graph: TaskGraph,
  made: readonly Task[],
): Result<JsonObject, SessionProblem> {
  const parent = wanted.parent === undefined ? ok(undefined) : usableParent(graph, wanted.parent);
  if (parent.type === 'error') return parent;
  const known = new Set([...graph.byId.keys(), ...made.map((task) => task.id)]);
  for (const id of wanted.dependsOn ?? []) {
    if (!known.has(id as TaskId)) return error(unknownDependency(id, known));
    if (id === parent.value?.id) return error({ type: 'depends-on-parent', parent: id });
  }
  const free = new FreeIds(known);
  return ok(newTask(free.next(parent.value?.id), wanted, parent.value));
}

function usableParent(graph: TaskGraph, text: string): Result<Task, SessionProblem> {
  const parent = findTask(graph, text);
  if (parent.type === 'error') return parent;
  const problem = whyNotDivided(graph, parent.value);
  return problem === undefined ? parent : error(problem);
}

export function whyNotDivided(graph: TaskGraph, task: Task): SessionProblem | undefined {
  const { id, status } = task;
  if (parentIdOf(id) !== undefined) return { type: 'no-sub-subtasks', task: id };
  return isLeaf(graph, id) && (status === 'active' || status === 'completed')
    ? { type: 'cannot-decompose', task: id, status }
    : undefined;
}

export interface TaskChange {
  readonly status?: TaskStatus;
  readonly title?: string;
  readonly type?: string;
  readonly agent?: string;
  readonly dependsOn?: readonly string[];
  readonly focus?: readonly string[];
  readonly requirements?: readonly string[];
  readonly acceptance?: readonly string[];
  /** What was done, in the words of the user. */
  readonly summaryText?: string;
  /** The kept work of a task is no longer on its branch; `commit`: the commit that has it now. */
  readonly kept?: { readonly commit?: string };
}

export interface UpdatedTask {
  readonly task: Task;
  readonly kept: readonly KeptFile[];
}

export async function updateTask(
  session: Session,
  text: string,
  change: TaskChange,
): Promise<Result<UpdatedTask, SessionProblem>> {
  if (session.isArchived) return error({ type: 'session-completed', session: session.id });
  const done = await withSession(session.paths, async () => {
    finishAdding(session.paths);
    const graph = loadGraph(session);
    const found = findTask(graph, text);
    if (found.type === 'error') return found;
    const problem = whyNot(graph, found.value, change);
    if (problem !== undefined) return error(problem);
    const at = new Date().toISOString();
    const updated = await updateDocument(taskFile(session.paths, found.value.id), parseObject, (source) =>
      changed(source, change, at),
    );
    if (updated.type === 'error') return error(broken(updated.error));
    const views = await bringInLine(session.paths);
    if (views.type === 'error') return error(broken(views.error));
    return ok({ task: readTask(updated.value) ?? found.value, kept: views.value.kept });
  });
  return done.type === 'ok' ? done.value : error(broken(done.error));
}

function whyNot(graph: TaskGraph, task: Task, change: TaskChange): SessionProblem | undefined {
  if (change.status !== undefined && !isLeaf(graph, task.id)) {
    return {
      type: 'derived-status',
      task: task.id,
      subtasks: (graph.children.get(task.id) ?? []).map(({ id }) => id),
    };
  }
  if (change.status === 'container') return { type: 'container-status', task: task.id };
  for (const id of change.dependsOn ?? []) {
    if (!graph.byId.has(id as TaskId)) return unknownDependency(id, new Set(graph.byId.keys()));
    if (id === task.parent) return { type: 'depends-on-parent', task: task.id, parent: id };
  }
  if (change.dependsOn === undefined) return undefined;
  const dependsOn = change.dependsOn.map(parseTaskId).filter((id) => id !== undefined);
  return ringProblem(graph.tasks.map((each) => (each.id === task.id ? { ...each, dependsOn } : each)));
}

function ringProblem(tasks: readonly Task[]): SessionProblem | undefined {
  const ring = findCycle(createTaskGraph(tasks));
  return ring === undefined ? undefined : { type: 'circular-dependency', tasks: ring };
}

function changed(source: JsonObject, change: TaskChange, at: string): JsonObject {
  const { status, title, type, agent } = change;
  const context = compact({
    requirements: change.requirements,
    focus_paths: change.focus,
    acceptance: change.acceptance,
    depends_on: change.dependsOn,
  });
  const meta = compact({ type, agent });
  const isNews = status !== undefined && status !== source['status'];
  const history = Array.isArray(source['status_history']) ? source['status_history'] : [];
  return {
    ...source,
    ...compact({ title, status }),
    ...(Object.keys(meta).length === 0 ? {} : { meta: { ...object(source['meta']), ...meta } }),
    ...(Object.keys(context).length === 0 ? {} : { context: { ...object(source['context']), ...context } }),
    ...(change.summaryText === undefined
      ? {}
      : { summary: { ...object(source['summary']), text: change.summaryText } }),
    ...(change.kept === undefined ? {} : withoutKept(source, change.kept)),
    ...(isNews
      ? { status_history: [...history, { from: source['status'] ?? null, to: status, at, by: 'hand' }] }
      : {}),
  };
}

function withoutKept(source: JsonObject, { commit }: { readonly commit?: string }): JsonObject {
  const { kept_branch: _, ...execution } = object(source['execution']);
  return {
    execution,
    ...(commit === undefined ? {} : { summary: { ...object(source['summary']), commit } }),
  };
}

function compact(fields: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

function unknownDependency(id: string, known: ReadonlySet<string>): SessionProblem {
  const near = nearest(id, known);
  return { type: 'no-such-dependency', task: id, near };
}
