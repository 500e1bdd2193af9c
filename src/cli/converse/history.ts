import { readHistory, renderHistory } from '../../converse/history.ts';
import { type Listed, listConversations } from '../../converse/sessions.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { findOrTell, none, openSite, refuse, type Site } from './site.ts';

export interface HistoryFlags {
  readonly session?: string;
  readonly format: 'md' | 'jsonl';
}

export function printHistory(context: CliContext, dir: string, flags: HistoryFlags): number {
  const site = openSite(context, dir);
  const found = site === undefined ? undefined : chooseOrTell(site, flags.session);
  if (found === undefined) return context.exitCode;
  const messages = readHistory(found);
  if (flags.format === 'jsonl')
    context.out(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  else context.out(printable(renderHistory(messages, `Conversation ${found.sessionId}`)));
  return EXIT.done;
}

/** Without a name: the newest. */
function chooseOrTell(site: Site, sessionId: string | undefined): Listed | undefined {
  if (sessionId !== undefined) return findOrTell(site, sessionId);
  const newest = listConversations(site.folder).toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1))[0];
  return newest ?? refuse(site.context, none(site));
}

function createdAt(one: Listed): string {
  return one.type === 'read' ? one.session.created_at : '';
}
