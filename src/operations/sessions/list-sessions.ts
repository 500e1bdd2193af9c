import { ok, type Result } from '../../model/result.ts';
import { countTasks } from '../../session/document/task-graph.ts';
import type { SessionId } from '../../session/ids.ts';
import { sessionProblemText } from '../../session/problem.ts';
import { listSessionIds, loadSession, type Session } from '../../session/sessions/sessions.ts';
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
  for (const id of listSessionIds(workspace)) {
    const loaded = loadSession(workspace, id);
    if (loaded.type === 'ok') sessions.push(listedSession(loaded.value));
    else problems.push(sessionProblemText(loaded.error));
  }
  return ok({ sessions, problems });
}

function listedSession(session: Session): ListedSession {
  const { project, kind, type } = session.file;
  const { completed, total } = countTasks(loadOutline(session));
  return { id: session.id, state: stateOf(session), done: completed, total, project, kind, type };
}

export function stateOf({ isArchived, file }: Pick<Session, 'isArchived' | 'file'>): string {
  return isArchived ? 'completed' : file.status;
}
