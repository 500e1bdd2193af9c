/** Locks a conversation and chooses the folder of a new one: the workspace itself for the first, a folder under `sessions/` for all others. */
import { join } from 'node:path';
import { error, ok, type Result } from '../model/result.ts';
import { sweepTemporaries } from '../store/atomic-write.ts';
import { createDocument, type DocumentProblem } from '../store/document.ts';
import { acquireLock, HEARTBEAT_MS, type Held, type Lock, withLock } from '../store/lock.ts';
import { makeFolder } from '../store/make-folder.ts';
import { filesOf } from './conversation-files.ts';
import { claimLock, furtherBase, sessionDocument, sessionLock, stateFolder } from './layout.ts';
import { newSession, type SessionMetadata } from './session.ts';
import { type Conversation, findConversation, firstConversations } from './sessions.ts';

const CLAIM_WAIT_MS = 30_000;

export interface Claimed {
  readonly conversation: Conversation;
  readonly lock: Lock;
  /** The conversation that uses the workspace's own folders, if this one does not. */
  readonly first?: string;
}

export type ClaimProblem =
  /** Another process is creating or restoring a conversation. */
  | { readonly type: 'changing'; readonly held: Held }
  | { readonly type: 'taken' }
  | { readonly type: 'running'; readonly held: Held }
  /** There is no conversation, but there are files with the names it would write. */
  | { readonly type: 'files'; readonly base: string }
  | { readonly type: 'document'; readonly problem: DocumentProblem };

/** Only one process decides at a time. The document is created with status `initialized` and its lock held. */
export async function claimConversation(
  { folder, sessionId }: Pick<Conversation, 'folder' | 'sessionId'>,
  metadata: SessionMetadata,
  ofRun?: string,
): Promise<Result<Claimed, ClaimProblem>> {
  makeFolder(stateFolder(folder));
  const claimed = await withLock(claimLock(folder), { waitMs: CLAIM_WAIT_MS }, () => {
    sweepTemporaries(stateFolder(folder));
    return claim({ folder, sessionId, ofRun }, metadata);
  });
  return claimed.type === 'ok' ? claimed.value : error({ type: 'changing', held: claimed.error });
}

async function claim(
  {
    folder,
    sessionId,
    ofRun,
  }: { readonly folder: string; readonly sessionId: string; readonly ofRun: string | undefined },
  metadata: SessionMetadata,
): Promise<Result<Claimed, ClaimProblem>> {
  const known = findConversation(folder, sessionId);
  if (known !== undefined) return error(takenBy(known));
  const [first] = firstConversations(folder);
  const isFree = first === undefined && filesOf({ sessionId, folder, base: folder }).length === 0;
  const base = isFree ? folder : furtherBase(folder, sessionId);
  const conversation: Conversation = { sessionId, folder, base };
  if (!isFree && filesOf(conversation).length > 0) return error({ type: 'files', base });
  makeFolder(stateFolder(base));
  const locked = lockConversation(conversation, ofRun);
  if (locked.type === 'error') return error({ type: 'running', held: locked.error });
  const created = await createDocument(
    join(base, sessionDocument(sessionId)),
    newSession(sessionId, new Date().toISOString(), metadata),
    { mode: 0o600 },
  );
  if (created.type === 'error') {
    locked.value.release();
    return error({ type: 'document', problem: created.error });
  }
  return ok({
    conversation,
    lock: locked.value,
    ...(first === undefined ? {} : { first: first.sessionId }),
  });
}

/** With a heartbeat for processes on other machines. `run`: see `LockOptions`. */
export function lockConversation({ base, sessionId }: Conversation, run?: string): Result<Lock, Held> {
  return acquireLock(sessionLock(base, sessionId), { heartbeatMs: HEARTBEAT_MS, run });
}

function takenBy(known: Conversation): ClaimProblem {
  const locked = lockConversation(known);
  if (locked.type === 'error') return { type: 'running', held: locked.error };
  locked.value.release();
  return { type: 'taken' };
}
