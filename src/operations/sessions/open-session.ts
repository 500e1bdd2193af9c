import { error, ok, type Result } from '../../model/result.ts';
import type { SessionProblem } from '../../session/problem.ts';
import { openSession as open, type Session } from '../../session/sessions/sessions.ts';
import { type ProblemKind, type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';

const KINDS: { readonly [Type in SessionProblem['type']]: ProblemKind } = {
  'not-found': 'not-found',
  invalid: 'invalid',
  refused: 'conflict',
  held: 'held',
  broken: 'invalid',
};

/** The named session, archived or not, or the active one. */
export function openSession(
  { workspace }: Pick<Site, 'workspace'>,
  name: string | undefined,
): Result<Session, Refused> {
  return orRefused(open(workspace, name));
}

/** Like `openSession`, but refuses a completed session. */
export function openUnfinished(
  site: Pick<Site, 'workspace'>,
  name: string | undefined,
): Result<Session, Refused> {
  const session = openSession(site, name);
  if (session.type === 'error' || !session.value.isArchived) return session;
  return error(refused('conflict', `session \`${session.value.id}\` is completed`));
}

/** Turns a session problem into the problem an operation returns. */
export function orRefused<Value>(result: Result<Value, SessionProblem>): Result<Value, Refused> {
  return result.type === 'ok' ? ok(result.value) : error(refusedBySession(result.error));
}

export function refusedBySession({ type, message, help }: SessionProblem): Refused {
  return refused(KINDS[type], message, help);
}
