import { relative } from 'node:path';
import { defined } from '../../model/defined.ts';
import {
  archiveConversation,
  chooseToArchive,
  restoreConversation as restore,
} from '../../operations/conversations/archive-conversation.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { askedFor, type OldFlags, reportLeft, reportUnreadable } from './old.ts';

export async function archiveConversations(
  context: CliContext,
  dir: string,
  flags: OldFlags & { readonly keep?: boolean },
): Promise<number> {
  const site = siteOf(context);
  const found = chooseToArchive(site, askedFor(dir, flags));
  if (found.type === 'error') return refuse(context, found.error);
  const { chosen, unreadable } = found.value;
  let exitCode: number = reportUnreadable(context, unreadable);
  if (chosen.length === 0 && unreadable.length === 0) context.err('nothing to archive\n');
  for (const conversation of chosen) {
    const archived = await archiveConversation(site, conversation, { keeps: flags.keep === true });
    if (archived.type === 'error') {
      exitCode = refuse(context, archived.error);
      continue;
    }
    reportLeft(context, conversation, archived.value);
    context.out(`${relative(context.workspace, archived.value.file)}\n`);
  }
  return exitCode;
}

export async function restoreConversation(
  context: CliContext,
  archive: string,
  { to }: { readonly to?: string },
): Promise<number> {
  const restored = await restore(siteOf(context), { archive, ...defined({ to }) });
  if (restored.type === 'error') return refuse(context, restored.error);
  const { sessionId, base } = restored.value;
  context.out(`${sessionId}\n`);
  context.err(`restored to ${relative(context.workspace, base) || '.'}\n`);
  return EXIT.done;
}
