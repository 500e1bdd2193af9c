/** Moves a completed session to the archives, where it can still be shown. */
import fs from 'node:fs';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isJsonObject } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { createDocument, loadDocument, updateDocument } from '../../store/document.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { changeSession, parseSessionFile } from '../document/session-file.ts';
import { countTasks, leavesOf } from '../document/task-graph.ts';
import { sessionPaths, workflowPaths } from '../layout.ts';
import { markedSession, setMarker, whyNotMarked, withWorkflow } from '../markers.ts';
import type { SessionProblem } from '../problem.ts';
import { writeViews } from '../views/write-views.ts';
import { activeSession, broken, openSession, type Session, setStatus } from './sessions.ts';
import { loadGraph } from './tasks.ts';

export interface Completion {
  /** Complete it even with open tasks. */
  readonly force: boolean;
  readonly lessons: readonly string[];
  /** Why it must not be moved now: a run is working in it. */
  isInUse(session: Session): SessionProblem | undefined;
}

export interface ArchivedSession {
  readonly session: Session;
  readonly entry: JsonObject;
  readonly kept: readonly KeptFile[];
}

export function completeSession(
  workspace: string,
  name: string | undefined,
  completion: Completion,
): Promise<Result<ArchivedSession, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const opened = openSession(workspace, name);
    if (opened.type === 'error') return opened;
    const session = opened.value;
    if (session.isArchived) return error({ type: 'session-already-completed', session: session.id });
    const inUse = completion.isInUse(session);
    if (inUse !== undefined) return error(inUse);
    const graph = loadGraph(session);
    const open = leavesOf(graph).filter((task) => task.status !== 'completed');
    if (open.length > 0 && !completion.force) {
      return error({ type: 'open-tasks', tasks: open.map((task) => task.id) });
    }
    const blocked = whyNotMoved(workspace, session);
    if (blocked !== undefined) return error(blocked);
    const at = new Date().toISOString();
    const file = await changeSession(session.paths.session, (current) => ({
      ...current,
      status: 'completed' as const,
      completed_at: at,
      updated_at: at,
    }));
    if (file.type === 'error') return error(broken(file.error));
    const written = await writeViews(session.paths);
    if (written.type === 'error') return error(broken(written.error));
    // The views have added what the document of another tool lacks.
    const shown = loadDocument(session.paths.session, parseSessionFile);
    const { project, kind, type, created_at } = shown.type === 'ok' ? shown.value : file.value;
    const lessons = [
      ...completion.lessons,
      ...graph.tasks.flatMap((task) => (task.summary?.notes ? [`${task.id}: ${task.summary.notes}`] : [])),
    ];
    const entry: JsonObject = {
      session_id: session.id,
      ...{ project, kind, type, created_at },
      completed_at: at,
      duration_ms: Math.max(0, Date.parse(at) - Date.parse(created_at)) || 0,
      tasks: { ...countTasks(graph) },
      lessons,
      path: `archives/${session.id}`,
    };
    const moved = await move(workspace, session, entry);
    return moved.type === 'ok' ? ok({ session: moved.value, entry, kept: written.value.kept }) : moved;
  });
}

/** Checked before anything is changed. */
function whyNotMoved(workspace: string, { id }: Session): SessionProblem | undefined {
  const { folder, relative } = sessionPaths(workspace, id, 'archives');
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined)
    return { type: 'archive-place-taken', path: relative };
  const manifest = loadDocument(workflowPaths(workspace).manifest, parseManifest);
  if (manifest.type === 'ok' || manifest.error.type === 'missing')
    return markedSession(workspace) === id ? whyNotMarked(workspace, undefined) : undefined;
  return manifest.error.type === 'held'
    ? broken(manifest.error)
    : { type: 'broken-manifest', problem: manifest.error };
}

/**
 * The marker is removed first, so that no marker points at a missing folder. Views may lag behind the tasks where they can be
 * regenerated; archives are not regenerated, so the views are written to disk before the move.
 */
async function move(
  workspace: string,
  session: Session,
  entry: JsonObject,
): Promise<Result<Session, SessionProblem>> {
  const { folder, archives, manifest } = workflowPaths(workspace);
  if (markedSession(workspace) === session.id) setMarker(workspace, undefined);
  makeFolder(archives);
  const listed = await addToManifest(manifest, entry);
  if (listed.type === 'error') return listed;
  const { tasks, summaries, chat } = session.paths;
  for (const each of [tasks, summaries, chat, session.paths.folder])
    if (fs.existsSync(each)) syncFolder(each);
  const paths = sessionPaths(workspace, session.id, 'archives');
  fs.renameSync(session.paths.folder, paths.folder);
  syncFolder(archives);
  syncFolder(folder);
  return ok({ ...session, paths, isArchived: true });
}

async function addToManifest(path: string, entry: JsonObject): Promise<Result<void, SessionProblem>> {
  const created = await createDocument(path, { version: 1, archives: [] });
  if (created.type === 'error' && created.error.type !== 'exists') return error(broken(created.error));
  const updated = await updateDocument(path, parseManifest, (document) => {
    const archives = 'archives' in document ? document.archives : document;
    const others = archives.filter(
      (each) => !isJsonObject(each) || each['session_id'] !== entry['session_id'],
    );
    return 'archives' in document ? { ...document, archives: [...others, entry] } : [...others, entry];
  });
  return updated.type === 'error' ? error(broken(updated.error)) : ok(undefined);
}

/** Another tool with this layout keeps a list without a name. */
type Manifest = (JsonObject & { readonly archives: readonly JsonValue[] }) | readonly JsonValue[];

function parseManifest(value: JsonValue): Result<Manifest, readonly string[]> {
  if (Array.isArray(value)) return ok(value);
  return isJsonObject(value) && Array.isArray(value['archives'])
    ? ok(value as JsonObject & { readonly archives: readonly JsonValue[] })
    : error(['missing list `archives`']);
}

/** Moves a completed session back from the archives and makes it active. Its entry in the manifest is removed. */
export function reopenSession(workspace: string, name: string): Promise<Result<Session, SessionProblem>> {
  return withWorkflow(workspace, async () => {
    const found = openSession(workspace, name);
    if (found.type === 'error') return found;
    const { id, file, isArchived, paths: from } = found.value;
    if (!isArchived && file.status !== 'completed')
      return error({ type: 'session-not-completed', session: id });
    const blocked = whyNotMarked(workspace, id);
    if (blocked !== undefined) return error(blocked);
    if (isArchived) {
      const { folder, archives, manifest } = workflowPaths(workspace);
      fs.renameSync(from.folder, sessionPaths(workspace, id, 'top').folder);
      syncFolder(folder);
      syncFolder(archives);
      await updateDocument(manifest, parseManifest, (document) => withoutEntry(document, id));
    }
    const former = activeSession(workspace);
    setMarker(workspace, id);
    if (former !== undefined && former !== id) await setStatus(workspace, former, 'paused');
    return setStatus(workspace, id, 'active');
  });
}

function withoutEntry(document: Manifest, id: string): Manifest {
  const isOther = (each: JsonValue): boolean => !isJsonObject(each) || each['session_id'] !== id;
  if (!('archives' in document)) return document.filter(isOther);
  return { ...document, archives: document.archives.filter(isOther) };
}
