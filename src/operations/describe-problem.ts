import type { DescribedProblem } from '../model/problem-form.ts';
import { formOf, type Problem } from './problem.ts';

/** The words of every problem are in the table of its area. */
export function describeProblem(problem: Problem): DescribedProblem {
  return formOf(problem).words(problem);
}
