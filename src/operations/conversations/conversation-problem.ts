/** Why a conversation cannot be worked on. */
import { join, relative } from 'node:path';
import type { ClaimProblem } from '../../converse/claim.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { DocumentProblem } from '../../store/document.ts';
import type { Held } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';

export function runningProblem(sessionId: string, held: Held): Problem {
  return { type: 'conversation-held', conversation: sessionId, held };
}

export function changingProblem(shown: string, held: Held): Problem {
  return { type: 'conversations-being-changed', folder: shown, held };
}

export function claimProblem(
  problem: ClaimProblem,
  {
    sessionId,
    folder,
    shown,
  }: { readonly sessionId: string; readonly folder: string; readonly shown: string },
): Problem {
  switch (problem.type) {
    case 'changing':
      return changingProblem(shown, problem.held);
    case 'running':
      return runningProblem(sessionId, problem.held);
    case 'taken':
      return { type: 'conversation-exists', conversation: sessionId, folder: shown };
    case 'files':
      return { type: 'files-of-another-conversation', folder: join(shown, relative(folder, problem.base)) };
    case 'document':
      return { type: 'conversation-not-claimed', problem: problem.problem };
    default:
      return unreachable(problem);
  }
}

export function unreadableProblem(problem: DocumentProblem): Problem {
  return { type: 'unreadable-conversation', problem };
}
