/** Selects the conversations to archive or remove. */
import type { SessionStatus } from '../../converse/session.ts';
import { listConversations, type ReadConversation } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';
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

export function chooseOldConversations(
  site: Site,
  asked: OldConversations,
): Result<readonly ReadConversation[], Refused> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  if (asked.session !== undefined) {
    const found = findNamed(opened.value, asked.session);
    if (found.type === 'error') return found;
    if (found.value.type === 'read') return ok([found.value]);
    return error(refused('invalid', `the document of \`${asked.session}\` cannot be read`));
  }
  const now = site.now().getTime();
  const before = now - (asked.olderThanMs ?? 0);
  const old = listConversations(opened.value.folder)
    .filter((one) => one.type === 'read')
    .filter((one) => ENDED.includes(one.status) && endOf(one, now) <= before);
  return ok(old);
}

/** When it ended, if known. */
function endOf({ session }: ReadConversation, now: number): number {
  const at = Date.parse(session.completed_at ?? session.created_at);
  return Number.isNaN(at) ? now : at;
}
