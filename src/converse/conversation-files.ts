/** Which files of its base belong to a conversation: what is put away with it, and what is removed. */
import fs from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../store/errno.ts';
import { HISTORY, sessionDocument, TOOL_RESULTS } from './layout.ts';
import type { Conversation } from './sessions.ts';

const NUMBERED: readonly (readonly [folder: string, name: RegExp])[] = [
  ['prompts', /^iteration_\d{3,}\.txt$/],
  ['responses', /^iteration_\d{3,}\.json$/],
  ['tool_outputs', /^iteration_\d{3,}_[A-Za-z0-9_.-]+\.txt$/],
];

/** Relative to the base; those that are there. The document comes last: while it is there, the conversation is. */
export function filesOf({ base, sessionId }: Conversation): readonly string[] {
  const numbered = NUMBERED.flatMap(([folder, name]) =>
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
  for (const path of filesOf(conversation)) fs.rmSync(join(base, path), { force: true });
  for (const [name] of NUMBERED) removeIfEmpty(join(base, name));
  if (base !== folder) {
    fs.rmSync(base, { recursive: true, force: true });
    removeIfEmpty(join(folder, 'sessions'));
  }
}

export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw cause;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}
