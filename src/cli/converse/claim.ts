/** A new conversation's place: the workspace itself for the first one, a folder under `sessions/` for every other. */
import { join, relative } from 'node:path';
import { filesOf } from '../../converse/conversation-files.ts';
import { claimLock, furtherBase, sessionDocument, sessionLock, stateFolder } from '../../converse/layout.ts';
import { newSession, type SessionMetadata } from '../../converse/session.ts';
import { type Conversation, findConversation, firstConversations } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sweepTemporaries } from '../../store/atomic-write.ts';
import { createDocument } from '../../store/document.ts';
import { acquireLock, HEARTBEAT_MS, type Lock, withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { changingRefusal, heldRefusal, type Refusal, type Site } from './site.ts';

/** A sign of life for those who look from another machine. */
const CLAIM_WAIT_MS = 30_000;

export interface Claimed {
  readonly conversation: Conversation;
  readonly lock: Lock;
  /** The one that has the workspace's own folders, where this one has not. */
  readonly first?: string;
}

/** Decided by one process at a time. The document appears with status `initialized`, and its lock is held. */
export async function claimConversation(
  site: Site,
  sessionId: string,
  metadata: SessionMetadata,
): Promise<Result<Claimed, Refusal>> {
  makeFolder(stateFolder(site.folder));
  const claimed = await withLock(claimLock(site.folder), { waitMs: CLAIM_WAIT_MS }, async () => {
    sweepTemporaries(stateFolder(site.folder));
    const known = findConversation(site.folder, sessionId);
    if (known !== undefined) return error(takenRefusal(site, known));
    const [first] = firstConversations(site.folder);
    const isFree = first === undefined && !hasFiles(site.folder, site.folder, sessionId);
    const base = isFree ? site.folder : furtherBase(site.folder, sessionId);
    if (!isFree && hasFiles(site.folder, base, sessionId)) return error(filesRefusal(site, base));
    makeFolder(stateFolder(base));
    const locked = lockConversation({ sessionId, folder: site.folder, base });
    if (locked.type === 'error') return locked;
    const created = await createDocument(
      join(base, sessionDocument(sessionId)),
      newSession(sessionId, new Date().toISOString(), metadata),
      { mode: 0o600 },
    );
    if (created.type === 'error') {
      locked.value.release();
      return error({
        error: created.error.type === 'held' ? 'its document is locked' : created.error.message,
      });
    }
    return ok({
      conversation: { sessionId, folder: site.folder, base },
      lock: locked.value,
      ...(first === undefined ? {} : { first: first.sessionId }),
    });
  });
  return claimed.type === 'ok' ? claimed.value : error(changingRefusal(site, claimed.error));
}

export function lockConversation({ base, sessionId }: Conversation): Result<Lock, Refusal> {
  const locked = acquireLock(sessionLock(base, sessionId), { heartbeatMs: HEARTBEAT_MS });
  return locked.type === 'ok' ? locked : error(heldRefusal(sessionId, locked.error));
}

/** There is no conversation, but files of the names that it would write. */
function hasFiles(folder: string, base: string, sessionId: string): boolean {
  return filesOf({ sessionId, folder, base }).length > 0;
}

function filesRefusal(site: Site, base: string): Refusal {
  return {
    error: `\`${join(site.shown, relative(site.folder, base))}\` holds files of another conversation, and nothing is overwritten`,
    help: 'move them away, or name another session',
  };
}

function takenRefusal(site: Site, known: Conversation): Refusal {
  const locked = lockConversation(known);
  if (locked.type === 'error') return locked.error;
  locked.value.release();
  return {
    error: `there is a conversation \`${known.sessionId}\` already`,
    help: `\`orchestrate converse resume ${site.shown} --session ${known.sessionId}\` goes on with it`,
  };
}
