/** Reads the conversations of a workspace from their documents. Writes nothing. */
import fs from 'node:fs';
import { join } from 'node:path';
import { defined } from '../model/defined.ts';
import { type DocumentProblem, loadDocument } from '../store/document.ts';
import { isHeld, type LockOwner, readLock } from '../store/lock-file.ts';
import { namesIn } from '../store/names-in.ts';
import {
  furtherBase,
  isSessionId,
  sessionDocument,
  sessionLock,
  sessionsFolder,
  stateFolder,
  TOOL_RESULTS,
} from './layout.ts';
import { parseSession, type Session, type SessionStatus } from './session.ts';

export interface Conversation {
  readonly sessionId: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** Absolute path of the folder with its `state/`. */
  readonly base: string;
}

export type Listed = Conversation &
  (
    | {
        readonly type: 'read';
        readonly session: Session;
        readonly status: SessionStatus;
        readonly owner?: LockOwner;
      }
    | { readonly type: 'unreadable'; readonly problem: DocumentProblem }
  );

export type ReadConversation = Extract<Listed, { type: 'read' }>;

/** The first conversation of the workspace, then the others by name. */
export function listConversations(folder: string): readonly Listed[] {
  const further = namesIn(sessionsFolder(folder))
    .filter(isSessionId)
    .map((sessionId) => ({ sessionId, folder, base: furtherBase(folder, sessionId) }))
    .filter(({ sessionId, base }) => fs.existsSync(join(base, sessionDocument(sessionId))));
  return [...firstConversations(folder), ...further].map(look);
}

/** Normally one; several only if they were copied there. */
export function firstConversations(folder: string): readonly Conversation[] {
  const results = TOOL_RESULTS.split('/').at(-1);
  return namesIn(stateFolder(folder))
    .filter((name) => name.endsWith('.json') && name !== results)
    .map((name) => name.slice(0, -'.json'.length))
    .filter(isSessionId)
    .map((sessionId) => ({ sessionId, folder, base: folder }));
}

export function findConversation(folder: string, sessionId: string): Listed | undefined {
  return listConversations(folder).find((one) => one.sessionId === sessionId);
}

export function look(conversation: Conversation): Listed {
  const { base, sessionId } = conversation;
  const loaded = loadDocument(join(base, sessionDocument(sessionId)), parseSession);
  if (loaded.type === 'error') return { ...conversation, type: 'unreadable', problem: loaded.error };
  const lock = readLock(sessionLock(base, sessionId));
  const owner = lock !== undefined && isHeld(lock) ? lock.owner : undefined;
  return {
    ...conversation,
    type: 'read',
    session: loaded.value,
    status: effectiveStatus(loaded.value.status, owner !== undefined),
    ...defined({ owner }),
  };
}

/** A document that says `running` without a running process was left by a killed process. */
function effectiveStatus(status: SessionStatus, isHeld: boolean): SessionStatus {
  return (status === 'running' || status === 'initialized') && !isHeld ? 'interrupted' : status;
}
