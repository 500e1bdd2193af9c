import { countText } from '../../model/amounts.ts';
import { chooseOldConversations, type ReadConversation } from '../../operations/conversations/choose-old.ts';
import { removeConversation } from '../../operations/conversations/remove-conversation.ts';

import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { askedFor, type OldFlags, reportLeft, reportUnreadable } from './old.ts';

export interface CleanFlags extends OldFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Removes conversations without archiving them. */
export async function cleanConversations(
  context: CliContext,
  dir: string,
  flags: CleanFlags,
): Promise<number> {
  const found = chooseOldConversations(siteOf(context), askedFor(dir, flags));
  if (found.type === 'error') return refuse(context, found.error);
  const { chosen, unreadable } = found.value;
  const exitCode = reportUnreadable(context, unreadable);
  if (chosen.length === 0) {
    if (unreadable.length === 0) context.err('nothing to remove\n');
    return exitCode;
  }
  for (const one of chosen) context.out(`${one.sessionId}  ${one.status}\n`);
  const what = countText(chosen.length, 'conversation');
  if (flags.dryRun === true) {
    context.err(`${what} would be removed\n`);
    return exitCode;
  }
  if (flags.force !== true) {
    const isSure = await confirm(`remove ${what}?`);
    if (isSure === undefined) {
      return refuse(context, { type: 'cannot-ask', removing: what });
    }
    if (!isSure) {
      context.err('nothing was removed\n');
      return exitCode;
    }
  }
  return removeAll(context, chosen, exitCode);
}

function removeAll(context: CliContext, chosen: readonly ReadConversation[], exitCodeBefore: number): number {
  let exitCode = exitCodeBefore;
  let count = 0;
  for (const one of chosen) {
    const removed = removeConversation(one);
    if (removed.type === 'error') {
      exitCode = refuse(context, removed.error);
      continue;
    }
    count += 1;
    reportLeft(context, one, removed.value);
  }
  context.err(`removed ${countText(count, 'conversation')}\n`);
  return exitCode;
}
