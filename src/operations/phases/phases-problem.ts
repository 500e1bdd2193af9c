import { unreachable } from '../../model/unreachable.ts';
import { type PhasesProblem, problemWords } from '../../phases/files/alone.ts';
import { type ProblemKind, type Refused, refused } from '../problem.ts';

/** What the documents of phases say of themselves, as a problem on one line: an agent may have written why its phase failed. */
export function phasesProblem(problem: PhasesProblem): Refused {
  const { message, help } = problemWords(problem);
  return refused(kindFor(problem), message.replace(/\s+/g, ' ').trim(), help);
}

function kindFor(problem: PhasesProblem): ProblemKind {
  switch (problem.type) {
    case 'missing':
      return 'not-found';
    case 'refused':
      return problem.isMissing === true ? 'not-found' : 'conflict';
    case 'exists':
      return 'conflict';
    case 'not-json':
    case 'invalid':
      return 'invalid';
    case 'file-error':
      return 'failed';
    case 'held':
      return 'held';
    default:
      return unreachable(problem);
  }
}
