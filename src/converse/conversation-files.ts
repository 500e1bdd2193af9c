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
  const others = filesOf(conversation).filter((path) => path !== document);
  for (const path of others) fs.rmSync(join(base, path), { force: true });
  for (const [name] of NUMBERED_FILES) removeIfEmpty(join(base, name));
  // While the document is there, the conversation is, and its removal can be gone on with: also after a power loss it is the last to go.
  for (const each of new Set([...others.map((path) => dirname(path)), '.'])) syncIfThere(join(base, each));
  fs.rmSync(join(base, document), { force: true });
  if (base !== folder) {
    fs.rmSync(base, { recursive: true, force: true });
    removeIfEmpty(sessionsFolder(folder));
  }
  // That it is gone survives a power loss.
  for (const each of [join(base, dirname(document)), base, folder]) syncIfThere(each);
}

function syncIfThere(folder: string): void {
  if (fs.existsSync(folder)) syncFolder(folder);
}

export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw cause;
  }
}
