import { removeFiles } from '../../converse/conversation-files.ts';
import type { ReadConversation } from '../../converse/sessions.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { countText } from '../../report/text/amounts.ts';
import { errnoOf } from '../../store/errno.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseOld, type OldFlags } from './choose-old.ts';
import { lockConversation } from './claim.ts';
import { openSite, refuse, tellLeft } from './site.ts';

export interface CleanFlags extends OldFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Removes conversations without keeping anything of them. */
export async function cleanConversations(
  context: CliContext,
  dir: string,
  flags: CleanFlags,
): Promise<number> {
  const site = openSite(context, dir);
  const chosen = site === undefined ? undefined : chooseOld(site, flags);
  if (chosen === undefined) return context.exitCode;
  if (chosen.length === 0) {
    context.err('there is nothing to remove\n');
    return EXIT.done;
  }
  for (const one of chosen) context.out(`${one.sessionId}  ${one.status}\n`);
  const what = countText(chosen.length, 'conversation');
  if (flags.dryRun === true) {
    context.err(`${what} would be removed\n`);
    return EXIT.done;
  }
  if (flags.force !== true) {
    const isSure = await confirm(`remove ${what}?`);
    if (isSure === undefined) {
      refuse(context, {
        error: `${what} would be removed, and there is nobody to ask`,
        help: '`--force` removes without asking',
        exitCode: EXIT.failed,
      });
      return context.exitCode;
    }
    if (!isSure) {
      context.err('nothing was removed\n');
      return EXIT.done;
    }
  }
  context.exitCode = EXIT.done;
  const removed = chosen.filter((one) => removeOne(context, one)).length;
  context.err(`removed ${countText(removed, 'conversation')}\n`);
  return context.exitCode;
}

function removeOne(context: CliContext, conversation: ReadConversation): boolean {
  const locked = lockConversation(conversation);
  if (locked.type === 'error') {
    refuse(context, locked.error);
    return false;
  }
  try {
    tellLeft(context, conversation, removeFiles(conversation));
    return true;
  } catch (cause) {
    refuse(context, {
      error: `cannot remove \`${conversation.sessionId}\`: ${errnoWords(errnoOf(cause))}`,
      exitCode: EXIT.failed,
    });
    return false;
  } finally {
    locked.value.release();
  }
}
