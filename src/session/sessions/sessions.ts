/** Starts, switches, pauses, resumes and finds sessions. */
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { createDocument, type DocumentProblem, loadDocument } from '../../store/document.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { resolveInside } from '../../store/safe-path.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { withDates } from '../document/born-at.ts';
import {
  type Complexity,
  changeSession,
  newSessionFile,
  parseSessionFile,
  type SessionFile,
  type SessionKind,
  type SessionStatus,
} from '../document/session-file.ts';
import { parseSessionId, type SessionId, sessionIdFor, topicSlug } from '../ids.ts';
import { type SessionPaths, type SessionPlace, sessionPaths, workflowPaths } from '../layout.ts';
import { markedSession, setMarker, whyNotMarked, withWorkflow } from '../markers.ts';
import type { SessionProblem } from '../problem.ts';
import { writeViews } from '../views/write-views.ts';
import { runningProcess } from './live-run.ts';

export interface Session {
  readonly id: SessionId;
  readonly paths: SessionPaths;
  readonly file: SessionFile;
  readonly isArchived: boolean;
}

export interface NewSession {
  readonly topic: string;
  readonly kind: SessionKind;
  readonly complexity: Complexity;
  readonly now: Date;
}

const PLACES = ['top', 'active', 'archives'] as const satisfies readonly SessionPlace[];

/** Creates the session and makes it active; the previous one is paused. */
export function startSession(
  workspace: string,
  wanted: NewSession,
): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const id = freeId(workspace, wanted.topic);
    const problem = whyNotMarked(workspace, id);
    if (problem !== undefined) return error(problem);
    const paths = sessionPaths(workspace, id);
    const file = newSessionFile({
      id,
      project: wanted.topic,
      kind: wanted.kind,
      complexity: wanted.complexity,
      at: wanted.now.toISOString(),
    });
    const created = await createFolder(paths, file);
    if (created.type === 'error') return error(broken(created.error));
    const former = activeSession(workspace);
    setMarker(workspace, id);
    if (former !== undefined && former !== id) await setStatus(workspace, former, 'paused');
    await writeViews(paths);
    return ok({ id, paths, file, isArchived: false });
  });
}

/** The folder appears only with a session in it, so a kill before that leaves nothing that looks like a session. */
async function createFolder(
  paths: SessionPaths,
  file: SessionFile,
): Promise<Result<SessionFile, DocumentProblem>> {
  const unfinished = temporaryPath(paths.folder);
  try {
    makeFolder(join(unfinished, relative(paths.folder, paths.tasks)));
    const created = await createDocument(join(unfinished, relative(paths.folder, paths.session)), file);
    if (created.type === 'error') return created;
    fs.renameSync(unfinished, paths.folder);
    syncFolder(dirname(paths.folder));
    return created;
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

function freeId(workspace: string, topic: string): SessionId {
  const slug = topicSlug(topic);
  for (let number = 1; ; number += 1) {
    const id = sessionIdFor(slug, number);
    const isTaken = PLACES.some((place) => isThere(sessionPaths(workspace, id, place).folder));
    if (!isTaken) return id;
  }
}

export function switchSession(workspace: string, name: string): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const found = findSession(workspace, name);
    if (found.type === 'error') return found;
    const { id, isArchived, file } = found.value;
    if (isArchived || file.status === 'completed') {
      return error({ type: 'cannot-switch-to-completed', session: id, isArchived });
    }
    const former = activeSession(workspace);
    const problem = setMarker(workspace, id);
    if (problem !== undefined) return error(problem);
    if (former !== undefined && former !== id) await setStatus(workspace, former, 'paused');
    return setStatus(workspace, id, 'active');
  });
}

/** No session is active afterwards. A run that executes it starts no more tasks. */
export function pauseSession(workspace: string): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const id = activeSession(workspace);
    if (id === undefined) return error(noActive());
    const problem = setMarker(workspace, undefined);
    if (problem !== undefined) return error(problem);
    const paused = await setStatus(workspace, id, 'paused');
    const running = paused.type === 'ok' ? runningProcess(workspace, paused.value.file) : undefined;
    if (paused.type === 'error' || running === undefined) return paused;
    const told = await changeSession(paused.value.paths.session, (file) => ({
      ...file,
      paused_run: running.runId,
    }));
    return told.type === 'ok' ? ok({ ...paused.value, file: told.value }) : error(broken(told.error));
  });
}

/** The caller holds the lock of `.workflow`. */
export async function setStatus(
  workspace: string,
  id: SessionId,
  status: SessionStatus,
): Promise<Result<Session, SessionProblem>> {
  const paths = sessionPaths(workspace, id);
  const updated = await changeSession(paths.session, (file) =>
    file.status === status && file.paused_run === undefined
      ? file
      : { ...file, status, paused_run: undefined, updated_at: new Date().toISOString() },
  );
  if (updated.type === 'error') return error(broken(updated.error));
  return ok({ id, paths, file: updated.value, isArchived: false });
}

/** The marked session. A tool that marks none keeps its only active session in `.workflow/active`. */
export function activeSession(workspace: string): SessionId | undefined {
  const marked = markedSession(workspace);
  if (marked !== undefined) return marked;
  const [only, ...others] = sessionFolders(workflowPaths(workspace).active).filter((id) => {
    const loaded = loadDocument(sessionPaths(workspace, id, 'active').session, parseSessionFile);
    return loaded.type === 'ok' && loaded.value.status === 'active';
  });
  return others.length === 0 ? only : undefined;
}

/** The named session, or the active one. */
export function openSession(workspace: string, name: string | undefined): Result<Session, SessionProblem> {
  if (name !== undefined) return findSession(workspace, name);
  const active = activeSession(workspace);
  if (active === undefined) return error(noActive());
  const session = loadSession(workspace, active);
  return session.type === 'error' && session.error.type === 'no-such-session'
    ? error({ type: 'active-session-missing', session: active })
    : session;
}

/** Finds a session by id, with or without `WFS-`, including archived ones. */
export function findSession(workspace: string, name: string): Result<Session, SessionProblem> {
  const ids = [name, `WFS-${name}`].map(parseSessionId).filter((id) => id !== undefined);
  for (const id of ids) {
    const loaded = loadSession(workspace, id);
    if (loaded.type === 'ok' || loaded.error.type !== 'no-such-session') return loaded;
  }
  const all = listSessionIds(workspace);
  const near = nearest(name, all) ?? nearest(`WFS-${name}`, all);
  return error({ type: 'no-such-session', session: name, near });
}

export function loadSession(workspace: string, id: SessionId): Result<Session, SessionProblem> {
  for (const place of PLACES) {
    const isArchived = place === 'archives';
    const paths = sessionPaths(workspace, id, place);
    if (!isFolder(paths.folder)) continue;
    const outside = resolveInside(workspace, `${paths.relative}/.task`);
    if (outside.type === 'error') return error({ type: 'session-outside', failure: outside.error });
    const loaded = loadDocument(paths.session, parseSessionFile);
    if (loaded.type === 'error' && !isThere(paths.session) && isArchivedToo(workspace, id)) continue;
    if (loaded.type === 'error') return error(broken(loaded.error));
    return ok({ id, paths, file: withDates(paths, loaded.value), isArchived });
  }
  return error({ type: 'no-such-session', session: id });
}

/** A tool that archives a session may leave some of its files where it was. */
function isArchivedToo(workspace: string, id: SessionId): boolean {
  return isThere(sessionPaths(workspace, id, 'archives').session);
}

/** Current sessions, then archived ones; sorted by name. */
export function listSessionIds(workspace: string): readonly SessionId[] {
  const { archives } = workflowPaths(workspace);
  return [...new Set([...currentSessions(workspace), ...sessionFolders(archives)])];
}

export function currentSessions(workspace: string): readonly SessionId[] {
  const { folder, active } = workflowPaths(workspace);
  return [...new Set([...sessionFolders(folder), ...sessionFolders(active)])];
}

export function sessionFolders(folder: string): readonly SessionId[] {
  return namesIn(folder)
    .map(parseSessionId)
    .filter((id) => id !== undefined)
    .filter((id) => isFolder(join(folder, id)));
}

function noActive(): SessionProblem {
  return { type: 'no-active-session' };
}

export function broken(problem: DocumentProblem): SessionProblem {
  if (problem.type === 'held') return { type: 'session-being-changed', path: problem.path, held: problem };
  return { type: 'broken-session', problem };
}

/** True also for a dangling link. */
function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
