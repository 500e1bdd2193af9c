/** Which files of its base belong to a conversation: what is put away with it, and what is removed. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../store/errno.ts';
import { namesIn } from '../store/names-in.ts';
import { syncFolder } from '../store/write-whole.ts';
import { HISTORY, NUMBERED_FILES, sessionDocument, sessionsFolder, TOOL_RESULTS } from './layout.ts';
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

export function removeFiles(conversation: Conversation): void {
  const { base, folder } = conversation;
  const document = sessionDocument(conversation.sessionId);
  for (const path of filesOf(conversation)) {
    // While the document is there, the conversation is, and its removal can be gone on with.
    if (path === document) for (const [name] of NUMBERED_FILES) removeIfEmpty(join(base, name));
    fs.rmSync(join(base, path), { force: true });
  }
  if (base !== folder) {
    fs.rmSync(base, { recursive: true, force: true });
    removeIfEmpty(sessionsFolder(folder));
  }
  // That it is gone survives a power loss.
  for (const each of [join(base, dirname(document)), base, folder]) if (fs.existsSync(each)) syncFolder(each);
}

export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw cause;
  }
}
