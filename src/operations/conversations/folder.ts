/** The workspace that every operation on conversations speaks of, and which of its conversations is meant. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { type Listed, listConversations } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';

export interface ConversationFolder {
  /** Absolute and real. */
  readonly folder: string;
  /** As the user calls it. */
  readonly shown: string;
}

export function openFolder(
  { workspace }: Pick<Site, 'workspace'>,
  dir: string,
): Result<ConversationFolder, Refused> {
  try {
    const folder = fs.realpathSync(resolve(workspace, dir));
    if (fs.statSync(folder).isDirectory()) return ok({ folder, shown: dir });
  } catch {
    // Refused below, like a file in its place.
  }
  return error(
    refused(
      'not-found',
      `there is no folder \`${dir}\``,
      `\`orchestrate converse init ${dir}\` makes a workspace there`,
    ),
  );
}

/** The conversation of that name. */
export function findNamed({ folder, shown }: ConversationFolder, sessionId: string): Result<Listed, Refused> {
  const all = listConversations(folder);
  const found = all.find((one) => one.sessionId === sessionId);
  if (found !== undefined) return ok(found);
  const near = nearest(
    sessionId,
    all.map((one) => one.sessionId),
  );
  return error(
    refused(
      'not-found',
      `there is no conversation \`${sessionId}\` in \`${shown}\``,
      near === undefined ? `\`orchestrate converse list ${shown}\` lists them` : `did you mean \`${near}\`?`,
    ),
  );
}

export function noneYet({ shown }: ConversationFolder): Refused {
  return refused(
    'not-found',
    `there is no conversation in \`${shown}\` yet`,
    `\`orchestrate converse run ${shown}\` starts one`,
  );
}
