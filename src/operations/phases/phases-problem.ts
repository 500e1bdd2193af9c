import type { PhasesProblem } from '../../phases/files/alone.ts';
import { documentRefusal, isRefusal } from '../../phases/refusals.ts';
import type { Problem } from '../problem.ts';

/** Turns a phases problem into the problem an operation returns. */
export function phasesProblem(problem: PhasesProblem): Problem {
  return isRefusal(problem) ? problem : documentRefusal(problem);
}
