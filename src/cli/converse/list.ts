import { relative } from 'node:path';
import { momentText } from '../../model/amounts.ts';
import {
  type ListedConversation,
  listConversations,
} from '../../operations/conversations/list-conversations.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { cutTo } from '../../report/text/width.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

const LONGEST_TASK = 60;

export function printConversations(
  context: CliContext,
  dir: string,
  flags: { readonly json?: boolean },
): number {
  const listed = listConversations(siteOf(context), dir);
  if (listed.type === 'error') return refuse(context, listed.error);
  const all = listed.value;
  if (flags.json === true) {
    context.out(
      `${JSON.stringify(
        all.map((one) => dataOf(one)),
        null,
        2,
      )}\n`,
    );
  } else if (all.length === 0) {
    context.err(`no conversations in \`${dir}\` yet\n`);
  } else {
    const titles = ['SESSION', 'STATUS', 'ITERATIONS', 'CREATED', 'TASK'].map((title) => ({ title }));
    context.out(renderTable(titles, all.map(rowOf)));
  }
  return EXIT.done;
}

function dataOf(one: ListedConversation): object {
  const folder = relative(one.folder, one.base) || '.';
  if (one.type === 'unreadable') return { session_id: one.sessionId, status: 'unreadable', folder };
  return { ...one.session, status: one.status, folder };
}

function rowOf(one: ListedConversation): readonly string[] {
  if (one.type === 'unreadable') return [one.sessionId, 'unreadable', '', '', ''];
  const { session } = one;
  const task = printableLine(String(session.metadata['task'] ?? ''));
  return [
    one.sessionId,
    one.status,
    String(session.current_iteration),
    momentOr(session.created_at),
    cutTo(task, LONGEST_TASK),
  ];
}

function momentOr(text: string): string {
  return Number.isNaN(Date.parse(text)) ? printableLine(text) : momentText(text);
}
