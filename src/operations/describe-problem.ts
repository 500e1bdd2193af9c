import type { DescribedProblem } from '../model/problem-form.ts';
import { formOf, type Problem } from './problem.ts';

/** In one sentence for a log, with advice, unless that names an operation: each door calls them differently. */
export function problemSentence(problem: Problem): string {
  const { message, help } = describeProblem(problem);
  return typeof help === 'string' ? `${message}; ${help}` : message;
}

/** The words of every problem are in the table of its area. */
export function describeProblem(problem: Problem): DescribedProblem {
  return formOf(problem).words(problem);
}
