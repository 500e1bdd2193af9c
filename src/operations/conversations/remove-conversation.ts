import { lockConversation } from '../../converse/claim.ts';
import { removeFiles } from '../../converse/conversation-files.ts';
import type { Conversation } from '../../converse/sessions.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { errnoOf } from '../../store/errno.ts';
import type { Problem } from '../problem.ts';
import { runningProblem } from './conversation-problem.ts';

export interface ConversationRemoved {
  /** Files in its folder that this program did not write; they are kept. */
  readonly left: readonly string[];
}

/** Removes a conversation without an archive. */
export function removeConversation(conversation: Conversation): Result<ConversationRemoved, Problem> {
  const { sessionId } = conversation;
  const locked = lockConversation(conversation);
  if (locked.type === 'error') return error(runningProblem(sessionId, locked.error));
  try {
    return ok({ left: removeFiles(conversation) });
  } catch (cause) {
    return error({ type: 'conversation-not-removed', conversation: sessionId, code: errnoOf(cause) });
  } finally {
    locked.value.release();
  }
}
