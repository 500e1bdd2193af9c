/** Which files of its base belong to a conversation: what is put away with it, and what is removed. */
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

/** Relative to the base; those that are there. The document comes last: while it is there, the conversation is. */
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

/** Answers what is in its folders besides, and stays: files that are not the conversation's, relative to the base. */
export function removeFiles(conversation: Conversation): readonly string[] {
  const { base, folder, sessionId } = conversation;
  const document = sessionDocument(conversation.sessionId);
  const others = filesOf(conversation).filter((path) => path !== document);
  for (const path of others) removeFile(join(base, path));
  for (const [name] of NUMBERED_FILES) removeIfEmpty(join(base, name));
  // While the document is there, the conversation is, and its removal can be gone on with: also after a power loss it is the last to go.
  for (const each of new Set([...others.map((path) => dirname(path)), '.'])) syncIfThere(join(base, each));
  removeFile(join(base, document));
  const left = base === folder ? [] : removeBase(base, sessionId);
  // That it is gone survives a power loss.
  for (const each of [join(base, dirname(document)), base, folder]) syncIfThere(each);
  if (base !== folder) removeIfEmpty(sessionsFolder(folder));
  return left;
}

/** The folder that the conversation had for itself, unless others have put something into it. Its lock is held by who removes it. */
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
