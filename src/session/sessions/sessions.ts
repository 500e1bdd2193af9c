/** Sessions come, are switched between, rest and go to the archives. */
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describeFailure } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { createDocument, type DocumentProblem, loadDocument, updateDocument } from '../../store/document.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { resolveInside } from '../../store/safe-path.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import { syncFolder } from '../../store/write-whole.ts';
import {
  type Complexity,
  newSessionFile,
  parseSessionFile,
  type SessionFile,
  type SessionKind,
  type SessionStatus,
} from '../document/session-file.ts';
import { parseSessionId, type SessionId, sessionIdFor, topicSlug } from '../ids.ts';
import { type SessionPaths, sessionPaths, workflowPaths } from '../layout.ts';
import { activeSession, setMarker, whyNotMarked, withWorkflow } from '../markers.ts';
import { heldProblem, notFound, refused, type SessionProblem } from '../problem.ts';
import { writeViews } from '../views/write-views.ts';

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

/** Makes the session and makes it the active one; the former one rests. */
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

/** It appears when there is a session in it: one that was killed before leaves no folder that would be taken for one. */
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
    const isTaken = [false, true].some((archived) => isThere(sessionPaths(workspace, id, archived).folder));
    if (!isTaken) return id;
  }
}

export function switchSession(workspace: string, name: string): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const found = findSession(workspace, name);
    if (found.type === 'error') return found;
    const { id, isArchived, file } = found.value;
    if (isArchived || file.status === 'completed') {
      const help = isArchived
        ? 'start a new one with `orchestrate session start`'
        : `\`orchestrate session complete ${id}\` moves it to the archives`;
      return error(refused(`session \`${id}\` is completed`, help));
    }
    const former = activeSession(workspace);
    const problem = setMarker(workspace, id);
    if (problem !== undefined) return error(problem);
    if (former !== undefined && former !== id) await setStatus(workspace, former, 'paused');
    return setStatus(workspace, id, 'active');
  });
}

/** Nothing is active afterwards. */
export function pauseSession(workspace: string): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const id = activeSession(workspace);
    if (id === undefined) return error(noActive());
    const problem = setMarker(workspace, undefined);
    return problem === undefined ? setStatus(workspace, id, 'paused') : error(problem);
  });
}

/** To be called with the lock of `.workflow` held. */
export async function setStatus(
  workspace: string,
  id: SessionId,
  status: SessionStatus,
): Promise<Result<Session, SessionProblem>> {
  const paths = sessionPaths(workspace, id);
  const updated = await updateDocument(paths.session, parseSessionFile, (file) =>
    file.status === status ? file : { ...file, status, updated_at: new Date().toISOString() },
  );
  if (updated.type === 'error') return error(broken(updated.error));
  return ok({ id, paths, file: updated.value, isArchived: false });
}

/** The named one, or the active one. */
export function openSession(workspace: string, name: string | undefined): Result<Session, SessionProblem> {
  if (name !== undefined) return findSession(workspace, name);
  const active = activeSession(workspace);
  if (active === undefined) return error(noActive());
  const session = loadSession(workspace, active);
  return session.type === 'error' && session.error.type === 'not-found'
    ? error(
        notFound(`the active session \`${active}\` has no folder`, '`orchestrate repair` removes its marker'),
      )
    : session;
}

/** By its id, with or without `WFS-`, in the archives too. */
export function findSession(workspace: string, name: string): Result<Session, SessionProblem> {
  const ids = [name, `WFS-${name}`].map(parseSessionId).filter((id) => id !== undefined);
  for (const id of ids) {
    const loaded = loadSession(workspace, id);
    if (loaded.type === 'ok' || loaded.error.type !== 'not-found') return loaded;
  }
  const all = listSessionIds(workspace);
  const near = nearest(name, all) ?? nearest(`WFS-${name}`, all);
  return error(
    notFound(
      `there is no session \`${name}\``,
      near === undefined ? '`orchestrate session list` lists the sessions' : `did you mean \`${near}\`?`,
    ),
  );
}

export function loadSession(workspace: string, id: SessionId): Result<Session, SessionProblem> {
  for (const isArchived of [false, true]) {
    const paths = sessionPaths(workspace, id, isArchived);
    if (!isFolder(paths.folder)) continue;
    const outside = resolveInside(workspace, `${paths.relative}/.task`);
    if (outside.type === 'error') return error({ type: 'broken', message: describeFailure(outside.error) });
    const loaded = loadDocument(paths.session, parseSessionFile);
    if (loaded.type === 'error') return error(broken(loaded.error));
    return ok({ id, paths, file: loaded.value, isArchived });
  }
  return error(notFound(`there is no session \`${id}\``));
}

/** Those that are worked on, then those in the archives; by name. */
export function listSessionIds(workspace: string): readonly SessionId[] {
  const { folder, archives } = workflowPaths(workspace);
  return [...sessionFolders(folder), ...sessionFolders(archives)];
}

export function sessionFolders(folder: string): readonly SessionId[] {
  return namesIn(folder)
    .map(parseSessionId)
    .filter((id) => id !== undefined)
    .filter((id) => isFolder(join(folder, id)));
}

function noActive(): SessionProblem {
  return notFound(
    'no session is active',
    '`orchestrate session start "<topic>"` starts one, `orchestrate session switch <id>` goes back to one',
  );
}

export function broken(problem: DocumentProblem): SessionProblem {
  if (problem.type === 'held') return heldProblem(`\`${problem.path}\` is being changed by`, problem);
  return { type: 'broken', message: problem.message, help: '`orchestrate repair` mends what can be mended' };
}

/** A link that leads nowhere is there too. */
function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
