/** Which conversations `archive` and `clean` speak of. */
import type { SessionStatus } from '../../converse/session.ts';
import { listConversations, type ReadConversation } from '../../converse/sessions.ts';
import { findOrTell, refuse, type Site } from './site.ts';

export interface OldFlags {
  readonly session?: string;
  /** Milliseconds. */
  readonly olderThan?: number;
}

/** Ended for good, or until somebody wants more of them. One that waits, runs or was interrupted is taken only when it is named. */
const ENDED: readonly SessionStatus[] = ['completed', 'exhausted', 'failed'];

export function chooseOld(site: Site, flags: OldFlags): readonly ReadConversation[] | undefined {
  if (flags.session !== undefined) {
    const found = findOrTell(site, flags.session);
    if (found === undefined) return undefined;
    if (found.type === 'read') return [found];
    return refuse(site.context, { error: `the document of \`${flags.session}\` cannot be read` });
  }
  const before = Date.now() - (flags.olderThan ?? 0);
  return listConversations(site.folder)
    .filter((one) => one.type === 'read')
    .filter((one) => ENDED.includes(one.status) && endOf(one) <= before);
}

/** When it ended, as far as that is known. */
function endOf({ session }: ReadConversation): number {
  const at = Date.parse(session.completed_at ?? session.created_at);
  return Number.isNaN(at) ? Date.now() : at;
}
