/** Archives conversations in their workspace and restores them. */
import fs from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { archiveHolding, restoreArchive, saveArchive } from '../../converse/archives.ts';
import { lockConversation } from '../../converse/claim.ts';
import { removeFiles } from '../../converse/conversation-files.ts';
import { archiveFolder, claimLock, stateFolder } from '../../converse/layout.ts';
import type { Conversation } from '../../converse/sessions.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { ArchiveError } from '../../store/archive/read-archive.ts';
import { errnoOf } from '../../store/errno.ts';
import { sweepLocks, withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { sweepIfThere } from '../../store/temporary-name.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type ChosenConversations, chooseOldConversations, type OldConversations } from './choose-old.ts';
import { changingProblem, runningProblem } from './conversation-problem.ts';
import { openFolder } from './folder.ts';

/** The conversations to archive. First removes what a killed archiving process left behind. */
export function chooseToArchive(site: Site, asked: OldConversations): Result<ChosenConversations, Problem> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  sweepLocks(stateFolder(opened.value.folder));
  sweepIfThere(archiveFolder(opened.value.folder));
  return chooseOldConversations(site, asked);
}

export interface ConversationArchived {
  /** Absolute path. */
  readonly file: string;
  /** Files in its folder that this program did not write; they are kept. */
  readonly left: readonly string[];
}

/** Completes the archive before the files are removed. `keeps`: does not remove them. */
export async function archiveConversation(
  site: Pick<Site, 'now'>,
  conversation: Conversation,
  { keeps }: { readonly keeps: boolean },
): Promise<Result<ConversationArchived, Problem>> {
  const { sessionId } = conversation;
  const locked = lockConversation(conversation);
  if (locked.type === 'error') return error(runningProblem(sessionId, locked.error));
  try {
    const made = keeps ? undefined : await archiveHolding(conversation);
    const file = made ?? (await saveArchive(conversation, site.now()));
    return ok({ file, left: keeps ? [] : removeFiles(conversation) });
  } catch (cause) {
    const why = cause instanceof ArchiveError ? cause.message : errnoWords(errnoOf(cause));
    return error({ type: 'conversation-not-archived', conversation: sessionId, reason: why });
  } finally {
    locked.value.release();
  }
}

export interface RestoreConversation {
  readonly archive: string;
  /** The workspace. Default: the one whose archive folder contains the file, else the current folder. */
  readonly to?: string;
}

export async function restoreConversation(
  site: Site,
  { archive, to }: RestoreConversation,
): Promise<Result<Conversation, Problem>> {
  const file = realPath(resolve(site.workspace, archive));
  if (!fs.existsSync(file)) return error({ type: 'conversation-archive-not-found', archive });
  const opened = openFolder(site, to ?? workspaceOf(site, file));
  if (opened.type === 'error') return opened;
  const { folder, shown } = opened.value;
  makeFolder(stateFolder(folder));
  const restored = await withLock(claimLock(folder), {}, () => restoreArchive(file, folder));
  if (restored.type === 'error') return error(changingProblem(shown, restored.error));
  const done = restored.value;
  return done.type === 'ok'
    ? done
    : error({ type: 'conversation-not-restored', archive, reason: done.error });
}

function workspaceOf({ workspace }: Pick<Site, 'workspace'>, file: string): string {
  const folder = dirname(file);
  return basename(folder) === 'archive' ? relative(workspace, dirname(folder)) || '.' : '.';
}
