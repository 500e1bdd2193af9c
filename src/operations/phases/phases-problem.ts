import { unreachable } from '../../model/unreachable.ts';
import { type PhasesProblem, problemWords } from '../../phases/files/alone.ts';
import { type ProblemKind, type Refused, refused } from '../problem.ts';

/** Turns a phases problem into one line: the reason a phase failed may be an agent's multi-line text. */
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
