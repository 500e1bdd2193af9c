/** Why a conversation cannot be worked on. */
import { join, relative } from 'node:path';
import type { ClaimProblem } from '../../converse/claim.ts';
import { unreachable } from '../../model/unreachable.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { DocumentProblem } from '../../store/document.ts';
import type { Held } from '../../store/lock.ts';
import { type Refused, refused } from '../problem.ts';

export function runningProblem(sessionId: string, held: Held): Refused {
  return refused(
    'held',
    `conversation \`${sessionId}\` is being run by ${holderText(held)}`,
    holderHelp(held),
  );
}

export function changingProblem(shown: string, held: Held): Refused {
  return refused('conflict', `\`${shown}\` is being changed by ${holderText(held)}`, holderHelp(held));
}

export function claimProblem(
  problem: ClaimProblem,
  {
    sessionId,
    folder,
    shown,
  }: { readonly sessionId: string; readonly folder: string; readonly shown: string },
): Refused {
  switch (problem.type) {
    case 'changing':
      return changingProblem(shown, problem.held);
    case 'running':
      return runningProblem(sessionId, problem.held);
    case 'taken':
      return refused(
        'conflict',
        `conversation \`${sessionId}\` already exists`,
        `resume it with \`orchestrate converse resume ${shown} --session ${sessionId}\``,
      );
    case 'files':
      return refused(
        'conflict',
        `\`${join(shown, relative(folder, problem.base))}\` contains files of another conversation; nothing was overwritten`,
        'move them away or choose another `--session`',
      );
    case 'document':
      return refused('conflict', documentMessage(problem.problem, 'its document is locked'));
    default:
      return unreachable(problem);
  }
}

export function unreadableProblem(problem: DocumentProblem): Refused {
  return refused('failed', documentMessage(problem, 'the document of the conversation is locked'));
}

function documentMessage(problem: DocumentProblem, whenHeld: string): string {
  return problem.type === 'held' ? whenHeld : problem.message;
}
