/**
 * The only file that spells paths of `.workflow`.
 *
 *   .workflow/
 *     .active-WFS-<slug>             at most one: the active session
 *     .lock                          held while markers or sessions are changed
 *     WFS-<slug>/
 *       workflow-session.json        truth
 *       .task/IMPL-*.json            truth
 *       IMPL_PLAN.md TODO_LIST.md    views; *.generated.md if another tool wrote those
 *       .summaries/IMPL-*-summary.md views, made when the first task completes
 *       .chat/analysis-IMPL-*.md     outputs of pre_analysis steps, made when the first one runs
 *       .lock                        held while tasks or views are changed
 *       .task-index.json             cache for large sessions
 *       .written.sha256              checksums of the views that were written
 *     active/WFS-<slug>/             current sessions of another tool with this layout; read and changed where they are
 *     archives/WFS-<slug>/           completed sessions
 *     archives/manifest.json         one entry for each
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { ownPath } from '../store/own-path.ts';
import { parseSessionId, parseTaskId, type SessionId, type TaskId } from './ids.ts';

export const WORKFLOW_FOLDER = '.workflow';
const MARKER = '.active-';
const SUMMARY = '-summary.md';
/** Names inside a session's folder. */
export const WRITTEN = '.written.sha256';

/** Where sessions are: in `.workflow` itself, in `.workflow/active`, or in `.workflow/archives`. */
export type SessionPlace = 'top' | 'active' | 'archives';

export interface WorkflowPaths {
  readonly folder: string;
  readonly active: string;
  readonly lock: string;
  readonly archives: string;
  readonly manifest: string;
}

export interface SessionPaths {
  readonly folder: string;
  /** Workspace-relative form of `folder`. */
  readonly relative: string;
  readonly session: string;
  readonly plan: string;
  readonly todo: string;
  readonly tasks: string;
  readonly summaries: string;
  readonly chat: string;
  readonly index: string;
  readonly written: string;
  readonly lock: string;
}

export function workflowPaths(workspace: string): WorkflowPaths {
  const folder = ownPath(workspace, WORKFLOW_FOLDER);
  const archives = join(folder, 'archives');
  return {
    folder,
    active: join(folder, 'active'),
    lock: join(folder, '.lock'),
    archives,
    manifest: join(archives, 'manifest.json'),
  };
}

/** Default: the place where it is, or will be. */
export function sessionPaths(workspace: string, id: SessionId, place?: SessionPlace): SessionPaths {
  if (parseSessionId(id) === undefined) throw new Error(`malformed session id \`${id}\``);
  const names = [...FOLDERS[place ?? currentPlace(workspace, id)], id];
  const relative = [WORKFLOW_FOLDER, ...names].join('/');
  const folder = join(workflowPaths(workspace).folder, ...names);
  return {
    folder,
    relative,
    session: join(folder, 'workflow-session.json'),
    plan: join(folder, 'IMPL_PLAN.md'),
    todo: join(folder, 'TODO_LIST.md'),
    tasks: join(folder, '.task'),
    summaries: join(folder, '.summaries'),
    chat: join(folder, '.chat'),
    index: join(folder, '.task-index.json'),
    written: join(folder, WRITTEN),
    lock: join(folder, '.lock'),
  };
}

const FOLDERS: Readonly<Record<SessionPlace, readonly string[]>> = {
  top: [],
  active: ['active'],
  archives: ['archives'],
};

function currentPlace(workspace: string, id: SessionId): SessionPlace {
  const { folder, active } = workflowPaths(workspace);
  const isThere = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return !isThere(join(folder, id)) && isThere(join(active, id)) ? 'active' : 'top';
}

export function markerPath(workspace: string, id: SessionId): string {
  return join(workflowPaths(workspace).folder, `${MARKER}${id}`);
}

/** The name after `.active-`, which may not be a session id. */
export function markedName(fileName: string): string | undefined {
  return fileName.startsWith(MARKER) ? fileName.slice(MARKER.length) : undefined;
}

export function taskFileName(id: TaskId): string {
  return `${id}.json`;
}

/** The id that a file in `.task` is named after. */
export function taskIdOfFile(fileName: string): TaskId | undefined {
  return fileName.endsWith('.json') ? parseTaskId(fileName.slice(0, -'.json'.length)) : undefined;
}

/** Tasks added together that are not yet moved into place (`add-tasks.ts`). */
export function addingFolder(paths: SessionPaths): string {
  return join(paths.tasks, '.adding');
}

export function taskFile(paths: Pick<SessionPaths, 'tasks'>, id: TaskId): string {
  return join(paths.tasks, taskFileName(id));
}

export function summaryFileName(id: TaskId): string {
  return `${id}${SUMMARY}`;
}

export function analysisFileName(id: TaskId): string {
  return `analysis-${id}.md`;
}

export function summaryIdOfFile(fileName: string): TaskId | undefined {
  return fileName.endsWith(SUMMARY) ? parseTaskId(fileName.slice(0, -SUMMARY.length)) : undefined;
}

/** Names of summaries that people and other tools write, in the order in which they count. */
export function summaryNames(id: TaskId): readonly string[] {
  return [summaryFileName(id), `${id}.md`];
}

/** The place of a view beside a file that is not one. */
export function besideName(name: string): string {
  return name.replace(/\.md$/, '.generated.md');
}
