/** Updates everything derived from the tasks: container statuses, the session's document, the Markdown views. */
import { basename } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { ok, type Result } from '../../model/result.ts';
import { sweepTemporaries } from '../../store/atomic-write.ts';
import { type DocumentProblem, loadDocument, updateDocument } from '../../store/document.ts';
import { type Held, sweepLocks, withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { finishAdding } from '../add-tasks.ts';
import { bornAt } from '../document/born-at.ts';
import { complexityOf, raised, sessionComplexity, statedComplexity } from '../document/complexity.ts';
import { parseObject } from '../document/parse-object.ts';
import { isInLine, readAllDetails } from '../document/read-tasks.ts';
import {
  changeSession,
  PHASES,
  type Phase,
  parseSessionFile,
  type SessionFile,
} from '../document/session-file.ts';
import type { TaskDetails } from '../document/task.ts';
import { createTaskGraph, leavesOf, statusOf, type TaskGraph } from '../document/task-graph.ts';
import { saveTaskIndex } from '../document/task-index.ts';
import { isAdopted } from '../document/task-summary.ts';
import { type SessionPaths, summaryFileName, summaryIdOfFile, taskFile, taskFileName } from '../layout.ts';
import { adoptSummaries } from './adopt-summaries.ts';
import { renderPlan } from './impl-plan.ts';
import { renderSummary } from './summary.ts';
import { renderTodoList } from './todo-list.ts';
import { createViewWriter, type ViewWriter } from './view-writer.ts';

const WAIT_MS = 30_000;

/** Paths relative to the session's folder. */
export interface WrittenViews {
  /** Files that were changed. */
  readonly written: readonly string[];
  /** Outdated views that were removed. */
  readonly removed: readonly string[];
  /** Files of other programs that were in their places and are kept. */
  readonly kept: readonly KeptFile[];
}

/** Runs with exclusive access to the session's folder. */
export function withSession<Value>(
  paths: SessionPaths,
  action: () => Value | Promise<Value>,
): Promise<Result<Value, Held>> {
  return withLock(paths.lock, { waitMs: WAIT_MS }, action);
}

export async function writeViews(paths: SessionPaths): Promise<Result<WrittenViews, DocumentProblem>> {
  const done = await withSession(paths, () => bringInLine(paths));
  return done.type === 'ok' ? done.value : done;
}

/** The caller holds the session's lock. */
export async function bringInLine(paths: SessionPaths): Promise<Result<WrittenViews, DocumentProblem>> {
  finishAdding(paths);
  const found = sweepAbandoned(paths);
  if (isInLine(paths)) return ok({ written: [], removed: [], kept: [] });
  // If the session's document cannot be read, its tasks are left unchanged too.
  const before = loadDocument(paths.session, parseSessionFile);
  if (before.type === 'error') return before;
  const derived = await deriveContainers(paths, found);
  const views = createViewWriter(paths);
  const adopted = await adoptSummaries(paths, views, derived.graph);
  const graph = adopted.length === 0 ? derived.graph : createTaskGraph(readAllDetails(paths));
  const session = await changeSession(paths.session, (file) => inLine(paths, file, graph));
  if (session.type === 'error') return session;
  const type = sessionComplexity(session.value, leavesOf(graph).length);
  writeWhole(views, { ...session.value, session_id: basename(paths.folder), type }, graph);
  const summaries = writeSummaries(paths, views, graph);
  const written = [...derived.changed, ...adopted, ...views.written];
  const { removed, kept } = views;
  if (written.length + removed.length === 0) saveTaskIndex(paths, graph.tasks, [...WHOLE, ...summaries]);
  return ok({ written, removed, kept });
}

/** Removes temporary files of killed processes. Returns the names of the files of tasks. */
function sweepAbandoned(paths: SessionPaths): readonly string[] {
  const sweep = (folder: string): readonly string[] => {
    const names = namesIn(folder);
    if (names.some((name) => name.endsWith('.tmp'))) sweepTemporaries(folder);
    if (names.some((name) => name.endsWith('.lock'))) sweepLocks(folder);
    return names;
  };
  for (const folder of [paths.folder, paths.summaries, paths.chat]) sweep(folder);
  return sweep(paths.tasks);
}

/** The views of all tasks together, the session's document, and the folder of the views of single tasks. */
const WHOLE = ['workflow-session.json', 'TODO_LIST.md', 'IMPL_PLAN.md', '.summaries'];

interface Derived {
  readonly graph: TaskGraph<TaskDetails>;
  readonly changed: readonly string[];
}

async function deriveContainers(paths: SessionPaths, found: readonly string[]): Promise<Derived> {
  const graph = createTaskGraph(readAllDetails(paths, found));
  const changed: string[] = [];
  for (const [id, derived] of graph.derived) {
    const task = graph.byId.get(id);
    if (task === undefined || task.status === derived) continue;
    const updated = await updateDocument(taskFile(paths, id), parseObject, (source) => ({
      ...source,
      status: derived,
    }));
    if (updated.type === 'ok') changed.push(`.task/${taskFileName(id)}`);
  }
  return { graph: changed.length === 0 ? graph : createTaskGraph(readAllDetails(paths)), changed };
}

/** Derives complexity, current tasks and completed phases from the tasks; complexity is never lowered. */
function inLine(paths: SessionPaths, file: SessionFile, graph: TaskGraph<TaskDetails>): SessionFile {
  const leaves = leavesOf(graph);
  const stated = statedComplexity(file);
  const type = stated === undefined ? file.type : raised(stated, complexityOf(leaves.length));
  const current_phase = phaseOf(file, leaves);
  const completed_phases = PHASES.slice(0, PHASES.indexOf(current_phase));
  const current_tasks = leaves.filter((task) => task.status === 'active').map((task) => task.id);
  const progress = { ...file.progress, completed_phases, current_tasks };
  const created_at = file.created_at === '' ? bornAt(paths) : file.created_at;
  const isSame =
    type === file.type &&
    current_phase === file.current_phase &&
    created_at === file.created_at &&
    JSON.stringify(progress) === JSON.stringify(file.progress);
  return isSame
    ? file
    : { ...file, type, current_phase, progress, created_at, updated_at: new Date().toISOString() };
}

function phaseOf(file: SessionFile, leaves: readonly TaskDetails[]): Phase {
  if (leaves.length > 0 && leaves.every((task) => task.status === 'completed')) return 'REVIEW';
  const hasBegun = leaves.some((task) => task.status !== 'pending' || task.execution.attempts > 0);
  if (hasBegun) return 'IMPLEMENT';
  return file.current_phase === 'REVIEW' ? 'PLAN' : file.current_phase;
}

function writeWhole(views: ViewWriter, session: SessionFile, graph: TaskGraph<TaskDetails>): void {
  const { notes } = session;
  const list = { topic: session.project, graph, ...defined({ notes }) };
  views.writeBeside('TODO_LIST.md', renderTodoList(list));
  views.writeBeside('IMPL_PLAN.md', renderPlan(session, graph));
}

/** Returns the names of the summaries that belong to completed tasks. */
function writeSummaries(
  paths: SessionPaths,
  views: ViewWriter,
  graph: TaskGraph<TaskDetails>,
): readonly string[] {
  const names: string[] = [];
  for (const task of graph.tasks) {
    if (task.summary === undefined || !hasSummary(task, graph)) continue;
    if (names.length === 0) makeFolder(paths.summaries);
    const name = `.summaries/${summaryFileName(task.id)}`;
    names.push(name);
    // The text of the task comes from this very file.
    if (isAdopted(task.summary) && views.isForeign(name)) continue;
    views.write(name, renderSummary(task, task.summary, graph));
  }
  removeStale(paths, views, graph);
  return names;
}

/** Removes summaries of tasks that are no longer completed, unless another program wrote them. */
function removeStale(paths: SessionPaths, views: ViewWriter, graph: TaskGraph<TaskDetails>): void {
  for (const name of namesIn(paths.summaries)) {
    const id = summaryIdOfFile(name);
    const task = id === undefined ? undefined : graph.byId.get(id);
    if (task !== undefined && !hasSummary(task, graph)) views.remove(`.summaries/${name}`);
  }
}

function hasSummary(task: TaskDetails, graph: TaskGraph<TaskDetails>): boolean {
  return task.hasSummary && statusOf(graph, task.id) === 'completed';
}
