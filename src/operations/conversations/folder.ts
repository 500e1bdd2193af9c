/** Finds the workspace of an operation on conversations, and the conversation meant. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { type Listed, listConversations } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface ConversationFolder {
  /** Absolute path without symbolic links. */
  readonly folder: string;
  /** The name the user gave. */
  readonly shown: string;
}

export function openFolder(
  { workspace }: Pick<Site, 'workspace'>,
  dir: string,
): Result<ConversationFolder, Problem> {
  try {
    const folder = fs.realpathSync(resolve(workspace, dir));
    if (fs.statSync(folder).isDirectory()) return ok({ folder, shown: dir });
  } catch {
    // Reported below, like a file at this path.
  }
  return error({ type: 'no-conversation-folder', folder: dir });
}

/** The conversation of that name. */
export function findNamed({ folder, shown }: ConversationFolder, sessionId: string): Result<Listed, Problem> {
  const all = listConversations(folder);
  const found = all.find((one) => one.sessionId === sessionId);
  if (found !== undefined) return ok(found);
  const near = nearest(
    sessionId,
    all.map((one) => one.sessionId),
  );
  return error({ type: 'no-such-conversation', conversation: sessionId, folder: shown, near });
}

export function noneYet({ shown }: ConversationFolder): Problem {
  return { type: 'no-conversations', folder: shown };
}
