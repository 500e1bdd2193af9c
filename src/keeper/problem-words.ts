import type { Result } from '../model/result.ts';
import { describeProblem } from '../operations/describe-problem.ts';
import type { Problem } from '../operations/problem.ts';

/** A later look gets the answer. */
export function isBeingLoaded(
  prepared: Result<unknown, Problem>,
): prepared is { readonly type: 'error'; readonly error: Problem & { type: 'code-is-being-loaded' } } {
  return prepared.type === 'error' && prepared.error.type === 'code-is-being-loaded';
}

/** With what to do, if that is no command of another door. */
export function wordsOf(problem: Problem): string {
  const { message, help } = describeProblem(problem);
  return typeof help === 'string' ? `${message}; ${help}` : message;
}
