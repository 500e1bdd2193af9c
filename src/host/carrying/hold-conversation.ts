/** Locks a conversation for one process at a time, and records in its document how its run ended. */
import fs from 'node:fs';
import { join } from 'node:path';
import { claimConversation, lockConversation } from '../../converse/claim.ts';
import { CONVERSATION_FOLDERS, sessionDocument } from '../../converse/layout.ts';
import { parseSession, type Session, type SessionStatus } from '../../converse/session.ts';
import { type Conversation, findConversation, look } from '../../converse/sessions.ts';
import type { RunEnd } from '../../engine/local-run.ts';
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import {
  claimProblem,
  runningProblem,
  unreadableProblem,
} from '../../operations/conversations/conversation-problem.ts';
import type { Problem } from '../../operations/problem.ts';
import type { ConversationHold } from '../../operations/run-hold.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { sweepTemporaries } from '../../store/atomic-write.ts';
import { type DocumentProblem, updateDocument } from '../../store/document.ts';
import type { Lock } from '../../store/lock.ts';
import { localPath, portablePath } from '../../store/portable-path.ts';
import type { Hold, HoldFor } from '../hold.ts';

export async function holdConversation(
  plan: RunPlan,
  given: ConversationHold,
  { shared }: Pick<HoldFor, 'shared'>,
): Promise<Result<Hold, Problem>> {
  const hold = holdHere(plan, given);
  const begun = shared === undefined ? undefined : begunBefore(plan, hold);
  const taken = await take(plan, begun ?? hold, shared === undefined ? undefined : plan.runId);
  if (taken.type === 'error') return taken;
  const { conversation, lock, first } = taken.value;
  return ok({
    plan: placed(plan, conversation),
    taken: { type: 'conversation', ...conversation, ...defined({ first }) },
    ended: async (end) => {
      await change(conversation, (session) => withStatus(session, statusAfter(end, session.status)));
    },
    release: () => lock.release(),
  });
}

/** With the paths of this machine. */
function holdHere({ workspace }: RunPlan, hold: ConversationHold): ConversationHold {
  const { conversation } = hold;
  return {
    ...hold,
    folder: localPath(workspace, hold.folder),
    conversation:
      conversation.type === 'new'
        ? conversation
        : { ...conversation, base: localPath(workspace, conversation.base) },
  };
}

/** An earlier owner of a shared run has taken the conversation for it already. */
function begunBefore({ runId }: RunPlan, hold: ConversationHold): ConversationHold | undefined {
  if (hold.conversation.type === 'resumed') return undefined;
  const found = findConversation(hold.folder, hold.sessionId);
  const isSame = found?.type === 'read' && found.session.metadata['run_id'] === runId;
  return isSame ? { ...hold, conversation: { type: 'resumed', base: found.base } } : undefined;
}

interface Taken {
  readonly conversation: Conversation;
  readonly lock: Lock;
  readonly first?: string;
}

/** `ofRun`: a shared run, whose locks belong to its owner. */
async function take(
  { runId }: RunPlan,
  hold: ConversationHold,
  ofRun: string | undefined,
): Promise<Result<Taken, Problem>> {
  const { sessionId, folder } = hold;
  if (hold.conversation.type === 'new') {
    const claimed = await claimConversation({ sessionId, folder }, hold.conversation.metadata, ofRun);
    return claimed.type === 'ok' ? claimed : error(claimProblem(claimed.error, hold));
  }
  const conversation: Conversation = { sessionId, folder, base: hold.conversation.base };
  const locked = lockConversation(conversation, ofRun);
  if (locked.type === 'error') return error(runningProblem(sessionId, locked.error));
  const lock = locked.value;
  try {
    sweepAfterKill(conversation);
    const problem = await takeUp(conversation, hold.conversation, runId);
    if (problem === undefined) return ok({ conversation, lock });
    lock.release();
    return error(problem);
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** Removes temporary files that a killed process may have left. */
function sweepAfterKill({ base }: Conversation): void {
  for (const name of CONVERSATION_FOLDERS) {
    const folder = join(base, name);
    if (fs.existsSync(folder)) sweepTemporaries(folder);
  }
}

type TakenUp = Exclude<ConversationHold['conversation'], { readonly type: 'new' }>;

/** Reads it again now that it is locked. */
async function takeUp(conversation: Conversation, how: TakenUp, runId: string): Promise<Problem | undefined> {
  const now = look(conversation);
  if (now.type === 'unreadable') return unreadableProblem(now.problem);
  const isOther = how.type === 'restarted' && String(now.session.metadata['run_id'] ?? '') !== how.insteadOf;
  if (isOther) return { type: 'conversation-resumed', conversation: conversation.sessionId };
  const changed = await change(conversation, (session) => takenUp(session, how, runId));
  return changed.type === 'error' ? unreadableProblem(changed.error) : undefined;
}

function takenUp(session: Session, how: TakenUp, runId: string): Session {
  switch (how.type) {
    case 'resumed':
      return session.status === 'completed' ? session : withStatus(session, 'running');
    case 'restarted':
      return { ...session, metadata: { ...session.metadata, run_id: runId } };
    default:
      return unreachable(how);
  }
}

/** The input of a new conversation names the folder it was given. */
function placed(plan: RunPlan, { base }: Conversation): RunPlan {
  if (plan.begin.type !== 'new') return plan;
  const input = { ...(plan.begin.input as JsonObject), base: portablePath(plan.workspace, base) };
  return { ...plan, begin: { ...plan.begin, input } };
}

/** The program records how the conversation ended, except when the program itself was stopped. */
function statusAfter(end: RunEnd, now: SessionStatus): SessionStatus {
  switch (end.status) {
    case 'interrupted':
      return 'interrupted';
    case 'waiting':
      return 'waiting';
    case 'failed':
    case 'cancelled':
      return now === 'exhausted' ? now : 'failed';
    case 'completed':
      return 'completed';
    default:
      return unreachable(end.status);
  }
}

function withStatus(session: Session, status: SessionStatus): Session {
  return status === session.status ? session : { ...session, status };
}

function change(
  { base, sessionId }: Conversation,
  make: (session: Session) => Session,
): Promise<Result<Session, DocumentProblem>> {
  return updateDocument(join(base, sessionDocument(sessionId)), parseSession, make);
}
