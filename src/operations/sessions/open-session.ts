import { error, type Result } from '../../model/result.ts';
import { openSession as open, type Session } from '../../session/sessions/sessions.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

/** The named session, archived or not, or the active one. */
export function openSession(
  { workspace }: Pick<Site, 'workspace'>,
  name: string | undefined,
): Result<Session, Problem> {
  return open(workspace, name);
}

/** Like `openSession`, but refuses a completed session. */
export function openUnfinished(
  site: Pick<Site, 'workspace'>,
  name: string | undefined,
): Result<Session, Problem> {
  const session = openSession(site, name);
  if (session.type === 'error' || !session.value.isArchived) return session;
  return error({ type: 'session-completed', session: session.value.id });
}
