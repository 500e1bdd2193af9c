/** Selects the conversations to archive or remove. */
import type { SessionStatus } from '../../converse/session.ts';
import { listConversations, type ReadConversation } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { unreadableProblem } from './conversation-problem.ts';
import { findNamed, openFolder } from './folder.ts';

export type { ReadConversation } from '../../converse/sessions.ts';

export interface OldConversations {
  /** The workspace. */
  readonly dir: string;
  /** Only this conversation, ended or not. */
  readonly session?: string;
  readonly olderThanMs?: number;
}

/** Statuses selected by default. A waiting, running or interrupted conversation is selected only by name. */
const ENDED: readonly SessionStatus[] = ['completed', 'exhausted', 'failed'];

export interface ChosenConversations {
  readonly chosen: readonly ReadConversation[];
  /** Why others could not be judged: their documents cannot be read. */
  readonly unreadable: readonly Problem[];
}

export function chooseOldConversations(
  site: Site,
  asked: OldConversations,
): Result<ChosenConversations, Problem> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  if (asked.session !== undefined) {
    const found = findNamed(opened.value, asked.session);
    if (found.type === 'error') return found;
    const { value } = found;
    return value.type === 'read'
      ? ok({ chosen: [value], unreadable: [] })
      : error(unreadableProblem(value.problem));
  }
  const now = site.now().getTime();
  const before = now - (asked.olderThanMs ?? 0);
  const all = listConversations(opened.value.folder);
  const chosen = all
    .filter((one) => one.type === 'read')
    .filter((one) => ENDED.includes(one.status) && endOf(one, now) <= before);
  const unreadable = all
    .filter((one) => one.type === 'unreadable')
    // Removed since it was listed.
    .filter(({ problem }) => problem.type !== 'missing')
    .map(({ problem }) => unreadableProblem(problem));
  return ok({ chosen, unreadable });
}

/** When it ended, if known. */
function endOf({ session }: ReadConversation, now: number): number {
  const at = Date.parse(session.completed_at ?? session.created_at);
  return Number.isNaN(at) ? now : at;
}
