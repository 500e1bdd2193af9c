/** Start, switch, pause and complete sessions. */
import type { KeptFile } from '../../model/kept-file.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Complexity, SessionFile, SessionKind } from '../../session/document/session-file.ts';
import type { SessionId } from '../../session/ids.ts';
import type { SessionProblem } from '../../session/problem.ts';
import { completeSession as complete, reopenSession as reopen } from '../../session/sessions/archive.ts';
import { runningProcess } from '../../session/sessions/live-run.ts';
import {
  listSessionIds,
  loadSession,
  pauseSession as pause,
  type Session,
  startSession as start,
  switchSession as switchTo,
} from '../../session/sessions/sessions.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { keptFiles } from './kept-files.ts';
import { openSession } from './open-session.ts';

export interface ChangedSession {
  readonly id: SessionId;
  /** Path of its document. */
  readonly file: SessionFile;
}

export interface StartSession {
  readonly topic: string;
  /** Default: `workflow`. */
  readonly kind?: SessionKind | undefined;
  /** The minimum complexity. Default: `simple`. */
  readonly complexity?: Complexity | undefined;
}

/** Makes the new session active and pauses the previous one. */
export async function startSession(
  { workspace, now }: Pick<Site, 'workspace' | 'now'>,
  { topic, kind = 'workflow', complexity = 'simple' }: StartSession,
): Promise<Result<ChangedSession, Problem>> {
  return changed(await start(workspace, { topic, kind, complexity, now: now() }));
}

export async function switchSession(
  { workspace }: Pick<Site, 'workspace'>,
  name: string,
): Promise<Result<ChangedSession, Problem>> {
  return changed(await switchTo(workspace, name));
}

/** Pauses the active session; none is active afterwards. */
export async function pauseSession({
  workspace,
}: Pick<Site, 'workspace'>): Promise<Result<PausedSession, Problem>> {
  const paused = changed(await pause(workspace));
  if (paused.type === 'error') return paused;
  const { file } = paused.value;
  const { paused_run: run } = file;
  return ok({
    ...paused.value,
    ...(run === undefined ? {} : { run: { id: run, atWork: file.progress.current_tasks } }),
  });
}

export interface PausedSession extends ChangedSession {
  /** The run that stops after the tasks at work. */
  readonly run?: { readonly id: string; readonly atWork: readonly string[] };
}

/** Default: the session last worked on. */
export async function resumeLastSession(
  site: Pick<Site, 'workspace'>,
): Promise<Result<ChangedSession, Problem>> {
  const [last] = listSessionIds(site.workspace)
    .map((id) => loadSession(site.workspace, id))
    .flatMap((loaded) => (loaded.type === 'ok' && !loaded.value.isArchived ? [loaded.value] : []))
    .sort((a, b) => (a.file.updated_at < b.file.updated_at ? 1 : -1));
  if (last !== undefined) return switchSession(site, last.id);
  const active = openSession(site, undefined);
  return active.type === 'ok' ? switchSession(site, active.value.id) : active;
}

/** Moves a completed session back from the archives and makes it active. */
export async function reopenSession(
  { workspace }: Pick<Site, 'workspace'>,
  name: string,
): Promise<Result<ChangedSession, Problem>> {
  return changed(await reopen(workspace, name));
}

export interface CompleteSession {
  /** Default: the active session. */
  readonly session?: string | undefined;
  /** Complete it even with open tasks. */
  readonly force?: boolean | undefined;
  readonly lessons?: readonly string[] | undefined;
}

export interface SessionCompleted {
  readonly id: SessionId;
  /** Path in the archives, relative to the workspace. */
  readonly folder: string;
  readonly kept: readonly KeptFile[];
}

export async function completeSession(
  { workspace }: Pick<Site, 'workspace'>,
  { session: name, force = false, lessons = [] }: CompleteSession,
): Promise<Result<SessionCompleted, Problem>> {
  const isInUse = ({ id, file }: Session): SessionProblem | undefined => {
    const running = runningProcess(workspace, file);
    if (running === undefined) return undefined;
    return { type: 'session-being-executed', session: id, held: running.held };
  };
  const done = await complete(workspace, name, { force, lessons, isInUse });
  if (done.type === 'error') return done;
  const { session, kept } = done.value;
  return ok({ id: session.id, folder: session.paths.relative, kept: keptFiles(session, kept) });
}

function changed(result: Result<Session, SessionProblem>): Result<ChangedSession, Problem> {
  const session = result;
  return session.type === 'ok' ? ok({ id: session.value.id, file: session.value.file }) : session;
}
