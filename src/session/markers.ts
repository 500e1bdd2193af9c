/**
 * The marker of the active session. There is never more than one: a change removes the old marker before it creates the new one,
 * while holding the lock of `.workflow`, so that concurrent switches are serialized.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { defined } from '../model/defined.ts';
import { error, type Result } from '../model/result.ts';
import { withLock } from '../store/lock.ts';
import { makeFolder } from '../store/make-folder.ts';
import { namesIn } from '../store/names-in.ts';
import { appendPlain, readPlainText } from '../store/plain-file.ts';
import { removeFile } from '../store/remove-file.ts';
import { resolveInside } from '../store/safe-path.ts';
import { syncFolder } from '../store/write-whole.ts';
import { parseSessionId, type SessionId } from './ids.ts';
import { markedName, markerPath, WORKFLOW_FOLDER, workflowPaths } from './layout.ts';
import type { SessionProblem } from './problem.ts';

const WAIT_MS = 30_000;

export interface Marker {
  readonly fileName: string;
  /** Absent: the name after `.active-` is not a session id. */
  readonly session?: SessionId;
}

/** All markers on disk; normally one or none. */
export function listMarkers(workspace: string): readonly Marker[] {
  return namesIn(workflowPaths(workspace).folder)
    .filter((name) => markedName(name) !== undefined)
    .map((fileName) => {
      const session = parseSessionId(markedName(fileName) ?? '');
      return { fileName, ...defined({ session }) };
    });
}

/** The newest marker, if there are several. */
export function markedSession(workspace: string): SessionId | undefined {
  const marked = listMarkers(workspace).filter(
    (marker): marker is Marker & { readonly session: SessionId } => marker.session !== undefined,
  );
  if (marked.length < 2) return marked[0]?.session;
  return newestFirst(workspace, marked)[0]?.session;
}

export function newestFirst<M extends Marker>(workspace: string, markers: readonly M[]): readonly M[] {
  const changedAt = ({ fileName }: Marker): bigint => {
    const path = join(workflowPaths(workspace).folder, fileName);
    return fs.statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
  };
  const times = new Map(markers.map((marker) => [marker, changedAt(marker)]));
  return [...markers].sort((a, b) => Number((times.get(b) ?? 0n) - (times.get(a) ?? 0n)));
}

/** The caller holds the lock of `.workflow`. Returns why it failed. */
export function setMarker(workspace: string, session: SessionId | undefined): SessionProblem | undefined {
  const { folder } = workflowPaths(workspace);
  const problem = whyNotMarked(workspace, session);
  if (problem !== undefined) return problem;
  for (const marker of otherMarkers(workspace, session)) removeFile(join(folder, marker.fileName));
  if (session !== undefined) appendPlain(markerPath(workspace, session), '', 0o644);
  syncFolder(folder);
  return undefined;
}

/** Refuses if a file that would be removed is not a marker. */
export function whyNotMarked(workspace: string, session: SessionId | undefined): SessionProblem | undefined {
  const foreign = otherMarkers(workspace, session).find((marker) => isForeign(workspace, marker));
  return foreign === undefined
    ? undefined
    : { type: 'not-a-marker', path: `${WORKFLOW_FOLDER}/${foreign.fileName}`, reason: NOT_A_MARKER };
}

function otherMarkers(workspace: string, session: SessionId | undefined): readonly Marker[] {
  return listMarkers(workspace).filter(
    (marker) => marker.session === undefined || marker.session !== session,
  );
}

export const NOT_A_MARKER = 'a marker is an empty file, but this one is not empty';

/** Whether removing it would lose content. A marker is empty; some tools write the name of its session into it. */
export function isForeign(workspace: string, { fileName }: Marker): boolean {
  const path = join(workflowPaths(workspace).folder, fileName);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return false;
  return !stat.isFile() || readPlainText(path).trim() !== markedName(fileName);
}

/** Runs with exclusive access to markers and session folders. */
export async function withWorkflow<Value>(
  workspace: string,
  action: () => Promise<Result<Value, SessionProblem>>,
): Promise<Result<Value, SessionProblem>> {
  const inside = resolveInside(workspace, WORKFLOW_FOLDER);
  if (inside.type === 'error') return error({ type: 'workflow-folder-outside', folder: WORKFLOW_FOLDER });
  const { folder, lock } = workflowPaths(workspace);
  makeFolder(folder);
  const done = await withLock(lock, { waitMs: WAIT_MS }, action);
  if (done.type === 'ok') return done.value;
  return error({ type: 'session-being-changed', path: '.workflow', held: done.error });
}
