import { readHistory as read, renderHistory } from '../../converse/history.ts';
import { type Listed, listConversations } from '../../converse/sessions.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type ConversationFolder, findNamed, noneYet, openFolder } from './folder.ts';

export interface ReadHistory {
  /** The workspace. */
  readonly dir: string;
  /** Its id. Default: the newest. */
  readonly session?: string;
}

export interface ConversationHistory {
  readonly sessionId: string;
  readonly messages: readonly JsonObject[];
}

export function readHistory(site: Site, asked: ReadHistory): Result<ConversationHistory, Problem> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  const chosen = choose(opened.value, asked.session);
  if (chosen.type === 'error') return chosen;
  return ok({ sessionId: chosen.value.sessionId, messages: read(chosen.value) });
}

/** As Markdown, for people. */
export function describeHistory({ sessionId, messages }: ConversationHistory): string {
  return renderHistory(messages, `Conversation ${sessionId}`);
}

function choose(at: ConversationFolder, sessionId: string | undefined): Result<Listed, Problem> {
  if (sessionId !== undefined) return findNamed(at, sessionId);
  const [newest] = listConversations(at.folder).toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
  return newest === undefined ? error(noneYet(at)) : ok(newest);
}

function createdAt(one: Listed): string {
  return one.type === 'read' ? one.session.created_at : '';
}
