import { ok, type Result } from '../../model/result.ts';
import { countTasks } from '../../session/document/task-graph.ts';
import type { SessionId } from '../../session/ids.ts';
import { sessionProblemText } from '../../session/problem.ts';
import { activeSession, listSessionIds, loadSession, type Session } from '../../session/sessions/sessions.ts';
import { loadOutline } from '../../session/sessions/tasks.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface ListedSession {
  readonly id: SessionId;
  readonly state: string;
  /** Counts of leaf tasks. */
  readonly done: number;
  readonly total: number;
  readonly project: string;
  readonly kind: string;
  readonly type: string;
}

export interface SessionList {
  /** Current sessions, then archived ones. */
  readonly sessions: readonly ListedSession[];
  /** Why other sessions cannot be listed, one sentence each. */
  readonly problems: readonly string[];
}

export function listSessions({ workspace }: Pick<Site, 'workspace'>): Result<SessionList, Problem> {
  const sessions: ListedSession[] = [];
  const problems: string[] = [];
  const active = activeSession(workspace);
  for (const id of listSessionIds(workspace)) {
    const loaded = loadSession(workspace, id);
    if (loaded.type === 'ok') sessions.push(listedSession(loaded.value, active));
    else problems.push(sessionProblemText(loaded.error));
  }
  return ok({ sessions, problems });
}

function listedSession(session: Session, active: SessionId | undefined): ListedSession {
  const { project, kind, type } = session.file;
  const { completed, total } = countTasks(loadOutline(session).graph);
  return { id: session.id, state: stateOf(session, active), done: completed, total, project, kind, type };
}

/** The marker decides which session is active; the word in its document only repeats it. */
export function stateOf({ id, isArchived, file }: Session, active: SessionId | undefined): string {
  if (isArchived || file.status === 'completed') return 'completed';
  return id === active ? 'active' : 'paused';
}
