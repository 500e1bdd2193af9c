/** The files that belong to a conversation, and so are archived or removed with it. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { sweepLocks } from '../store/lock.ts';
import { namesIn } from '../store/names-in.ts';
import { removeFile, removeIfEmpty } from '../store/remove-file.ts';
import { sweepIfThere } from '../store/temporary-name.ts';
import { syncFolder } from '../store/write-whole.ts';
import {
  CONVERSATION_FOLDERS,
  HISTORY,
  NUMBERED_FILES,
  sessionDocument,
  sessionLock,
  sessionsFolder,
  stateFolder,
  TOOL_RESULTS,
} from './layout.ts';
import type { Conversation } from './sessions.ts';

/** Existing files, relative to the base. The document is last: while it exists, so does the conversation. */
export function filesOf({ base, sessionId }: Conversation): readonly string[] {
  const numbered = NUMBERED_FILES.flatMap(([folder, name]) =>
    namesIn(join(base, folder))
      .filter((one) => name.test(one))
      .map((one) => `${folder}/${one}`),
  );
  return [...numbered, TOOL_RESULTS, HISTORY, sessionDocument(sessionId)].filter((path) =>
    fs.existsSync(join(base, path)),
  );
}

/** Returns the foreign files in its folders, which are kept; relative to the base. */
export function removeFiles(conversation: Conversation): readonly string[] {
  const { base, folder, sessionId } = conversation;
  const document = sessionDocument(conversation.sessionId);
  const others = filesOf(conversation).filter((path) => path !== document);
  for (const path of others) removeFile(join(base, path));
  for (const [name] of NUMBERED_FILES) removeIfEmpty(join(base, name));
  // The document is removed last, even after a power loss: while it exists, the removal can be continued.
  for (const each of new Set([...others.map((path) => dirname(path)), '.'])) syncIfThere(join(base, each));
  removeFile(join(base, document));
  const left = base === folder ? [] : removeBase(base, sessionId);
  // Makes the removal survive a power loss.
  for (const each of [join(base, dirname(document)), base, folder]) syncIfThere(each);
  if (base !== folder) removeIfEmpty(sessionsFolder(folder));
  return left;
}

/** Removes the conversation's own folder unless it contains foreign files. The caller holds its lock. */
function removeBase(base: string, sessionId: string): readonly string[] {
  const state = stateFolder(base);
  for (const each of CONVERSATION_FOLDERS) sweepIfThere(join(base, each));
  sweepLocks(state);
  removeFile(sessionLock(base, sessionId));
  for (const each of CONVERSATION_FOLDERS) removeIfEmpty(join(base, each));
  removeIfEmpty(base);
  return namesIn(base);
}

function syncIfThere(folder: string): void {
  if (fs.existsSync(folder)) syncFolder(folder);
}
