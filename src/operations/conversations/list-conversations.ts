import { type Listed, listConversations as list } from '../../converse/sessions.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openFolder } from './folder.ts';

export type { Listed as ListedConversation } from '../../converse/sessions.ts';

/** The conversations of a workspace, including those whose document cannot be read. */
export function listConversations(site: Site, dir: string): Result<readonly Listed[], Problem> {
  const opened = openFolder(site, dir);
  return opened.type === 'ok' ? ok(list(opened.value.folder)) : opened;
}
