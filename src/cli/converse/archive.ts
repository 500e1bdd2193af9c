import fs from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { archiveHolding, restoreArchive, saveArchive } from '../../converse/archives.ts';
import { removeFiles } from '../../converse/conversation-files.ts';
import { archiveFolder, claimLock, stateFolder } from '../../converse/layout.ts';
import type { ReadConversation } from '../../converse/sessions.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { ArchiveError } from '../../store/archive/read-archive.ts';
import { errnoOf } from '../../store/errno.ts';
import { sweepLocks, withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { sweepIfThere } from '../../store/temporary-name.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseOld, type OldFlags } from './choose-old.ts';
import { lockConversation } from './claim.ts';
import { changingRefusal, openSite, refuse, tellLeft } from './site.ts';

/** Each is whole in its archive before its files are removed. */
export async function archiveConversations(
  context: CliContext,
  dir: string,
  flags: OldFlags & { readonly keep?: boolean },
): Promise<number> {
  const site = openSite(context, dir);
  // One that was killed at this has left its lock, and what it was making.
  if (site !== undefined) {
    sweepLocks(stateFolder(site.folder));
    sweepIfThere(archiveFolder(site.folder));
  }
  const chosen = site === undefined ? undefined : chooseOld(site, flags);
  if (chosen === undefined) return context.exitCode;
  if (chosen.length === 0) context.err('there is nothing to archive\n');
  let exitCode: number = EXIT.done;
  for (const conversation of chosen) {
    const file = await archiveOne(context, conversation, flags.keep === true);
    if (file === undefined) exitCode = context.exitCode;
    else context.out(`${relative(context.workspace, file)}\n`);
  }
  return exitCode;
}

async function archiveOne(
  context: CliContext,
  conversation: ReadConversation,
  keeps: boolean,
): Promise<string | undefined> {
  const locked = lockConversation(conversation);
  if (locked.type === 'error') return refuse(context, locked.error);
  try {
    const made = keeps ? undefined : await archiveHolding(conversation);
    const file = made ?? (await saveArchive(conversation, new Date()));
    if (!keeps) tellLeft(context, conversation, removeFiles(conversation));
    return file;
  } catch (cause) {
    const why = cause instanceof ArchiveError ? cause.message : errnoWords(errnoOf(cause));
    return refuse(context, {
      error: `\`${conversation.sessionId}\` could not be archived: ${why}`,
      exitCode: EXIT.failed,
    });
  } finally {
    locked.value.release();
  }
}

export async function restoreConversation(
  context: CliContext,
  archive: string,
  flags: { readonly to?: string },
): Promise<number> {
  const file = realPath(resolve(context.workspace, archive));
  if (!fs.existsSync(file)) {
    refuse(context, { error: `there is no archive \`${archive}\`` });
    return context.exitCode;
  }
  const site = openSite(context, flags.to ?? workspaceOf(context, file));
  if (site === undefined) return context.exitCode;
  makeFolder(stateFolder(site.folder));
  const restored = await withLock(claimLock(site.folder), {}, () => restoreArchive(file, site.folder));
  const problem =
    restored.type === 'error'
      ? changingRefusal(site, restored.error).error
      : restored.value.type === 'error'
        ? restored.value.error
        : undefined;
  if (problem !== undefined) {
    refuse(context, { error: `\`${archive}\` cannot be restored: ${problem}`, exitCode: EXIT.failed });
    return context.exitCode;
  }
  if (restored.type === 'ok' && restored.value.type === 'ok') {
    const { base, sessionId } = restored.value.value;
    context.out(`${sessionId}\n`);
    context.err(`restored to ${relative(context.workspace, base) || '.'}\n`);
  }
  return EXIT.done;
}

/** An archive lies in `<workspace>/archive/`; one that lies elsewhere goes to the current folder. */
function workspaceOf(context: CliContext, file: string): string {
  const folder = dirname(file);
  return basename(folder) === 'archive' ? relative(context.workspace, dirname(folder)) || '.' : '.';
}
