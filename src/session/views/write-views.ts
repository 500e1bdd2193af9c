/** Brings everything that follows from the tasks in line with them: container statuses, the session's own document, the Markdown. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile, sweepTemporaries } from '../../store/atomic-write.ts';
import { type DocumentProblem, updateDocument } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { type Held, sweepLocks, withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { readPlain } from '../../store/plain-file.ts';
import { finishAdding } from '../add-tasks.ts';
import { complexityOf, raised } from '../complexity.ts';
import { isInLine, readAllDetails } from '../document/read-tasks.ts';
import { PHASES, type Phase, parseSessionFile, type SessionFile } from '../document/session-file.ts';
import type { TaskDetails } from '../document/task.ts';
import { saveTaskIndex } from '../document/task-index.ts';
import { type SessionPaths, summaryFileName, summaryIdOfFile, taskFile, taskFileName } from '../layout.ts';
import { createTaskGraph, leavesOf, statusOf, type TaskGraph } from '../task-graph.ts';
import { renderPlan } from './impl-plan.ts';
import { renderSummary } from './summary.ts';
import { renderTodoList } from './todo-list.ts';

const WAIT_MS = 30_000;

/** Paths relative to the session's folder, of files that were not as they are now. */
export type ChangedFiles = readonly string[];

/** Alone with the session's folder. */
export function withSession<Value>(
  paths: SessionPaths,
  action: () => Value | Promise<Value>,
): Promise<Result<Value, Held>> {
  return withLock(paths.lock, { waitMs: WAIT_MS }, action);
}

export async function writeViews(paths: SessionPaths): Promise<Result<ChangedFiles, DocumentProblem>> {
  const done = await withSession(paths, () => bringInLine(paths));
  return done.type === 'ok' ? done.value : done;
}

/** To be called with the session's lock held. */
export async function bringInLine(paths: SessionPaths): Promise<Result<ChangedFiles, DocumentProblem>> {
  finishAdding(paths);
  sweepAbandoned(paths);
  if (isInLine(paths)) return ok([]);
  const { graph, changed: containers } = await deriveContainers(paths);
  const session = await updateDocument(paths.session, parseSessionFile, (file) => inLine(file, graph));
  if (session.type === 'error') return session;
  const summaries = writeSummaries(paths, graph);
  const changed = [...containers, ...writeWhole(paths, session.value, graph), ...summaries.changed];
  if (changed.length === 0) saveTaskIndex(paths, graph.tasks, [...WHOLE, ...summaries.names]);
  return ok(changed);
}

/** What killed processes were writing. */
function sweepAbandoned(paths: SessionPaths): void {
  for (const folder of [paths.folder, paths.tasks, paths.summaries, paths.chat]) {
    const names = namesIn(folder);
    if (names.some((name) => name.endsWith('.tmp'))) sweepTemporaries(folder);
    if (names.some((name) => name.endsWith('.lock'))) sweepLocks(folder);
  }
}

/** What follows from all tasks at once, the document of the session that it follows from too, and the folder of what follows from each. */
const WHOLE = ['workflow-session.json', 'TODO_LIST.md', 'IMPL_PLAN.md', '.summaries'];

interface Derived {
  readonly graph: TaskGraph<TaskDetails>;
  readonly changed: ChangedFiles;
}

async function deriveContainers(paths: SessionPaths): Promise<Derived> {
  const graph = createTaskGraph(readAllDetails(paths));
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

/** The complexity goes up with the tasks; what is under way and which phases are over follow from them. */
function inLine(file: SessionFile, graph: TaskGraph<TaskDetails>): SessionFile {
  const leaves = leavesOf(graph);
  const type = raised(file.type, complexityOf(leaves.length));
  const current_phase = phaseOf(file, leaves);
  const completed_phases = PHASES.slice(0, PHASES.indexOf(current_phase));
  const current_tasks = leaves.filter((task) => task.status === 'active').map((task) => task.id);
  const progress = { ...file.progress, completed_phases, current_tasks };
  const isSame =
    type === file.type &&
    current_phase === file.current_phase &&
    JSON.stringify(progress) === JSON.stringify(file.progress);
  return isSame ? file : { ...file, type, current_phase, progress, updated_at: new Date().toISOString() };
}

function phaseOf(file: SessionFile, leaves: readonly TaskDetails[]): Phase {
  if (leaves.length > 0 && leaves.every((task) => task.status === 'completed')) return 'REVIEW';
  const hasBegun = leaves.some((task) => task.status !== 'pending' || task.execution.attempts > 0);
  if (hasBegun) return 'IMPLEMENT';
  return file.current_phase === 'REVIEW' ? 'PLAN' : file.current_phase;
}

function writeWhole(
  paths: SessionPaths,
  session: SessionFile,
  graph: TaskGraph<TaskDetails>,
): readonly string[] {
  const { notes } = session;
  const list = { topic: session.project, graph, ...(notes === undefined ? {} : { notes }) };
  return [
    ...writeIfOther(paths, 'TODO_LIST.md', renderTodoList(list)),
    ...writeIfOther(paths, 'IMPL_PLAN.md', renderPlan(session, graph)),
  ];
}

function writeSummaries(
  paths: SessionPaths,
  graph: TaskGraph<TaskDetails>,
): { readonly names: readonly string[]; readonly changed: ChangedFiles } {
  const names: string[] = [];
  const changed: string[] = [];
  for (const task of graph.tasks) {
    if (task.summary === undefined || !hasSummary(task, graph)) continue;
    if (names.length === 0) makeFolder(paths.summaries);
    const name = `.summaries/${summaryFileName(task.id)}`;
    names.push(name);
    changed.push(...writeIfOther(paths, name, renderSummary(task, task.summary, graph)));
  }
  return { names, changed: [...changed, ...removeStale(paths, graph)] };
}

/** Answers the name where the file was another. */
function writeIfOther(paths: SessionPaths, name: string, text: string): readonly string[] {
  const path = join(paths.folder, name);
  const bytes = Buffer.from(text);
  if (bytesOf(path)?.equals(bytes) === true) return [];
  replaceFile(path, bytes, { mode: 0o644, mayLag: true });
  return [name];
}

/** A summary of a task that is not completed any more would be a lie. */
function removeStale(paths: SessionPaths, graph: TaskGraph<TaskDetails>): readonly string[] {
  const stale = namesIn(paths.summaries).filter((name) => {
    const id = summaryIdOfFile(name);
    const task = id === undefined ? undefined : graph.byId.get(id);
    return task !== undefined && !hasSummary(task, graph);
  });
  for (const name of stale) fs.rmSync(join(paths.summaries, name), { force: true });
  return stale.map((name) => `.summaries/${name}`);
}

function hasSummary(task: TaskDetails, graph: TaskGraph<TaskDetails>): boolean {
  return task.hasSummary && statusOf(graph, task.id) === 'completed';
}

export function parseObject(value: JsonValue): Result<JsonObject, readonly string[]> {
  return isJsonObject(value) ? ok(value) : error(['it is not a JSON object']);
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readPlain(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
