import type { Result } from '../model/result.ts';
import type { Problem } from '../operations/problem.ts';

/** A later look gets the answer. */
export function isBeingLoaded(
  prepared: Result<unknown, Problem>,
): prepared is { readonly type: 'error'; readonly error: Problem & { type: 'code-is-being-loaded' } } {
  return prepared.type === 'error' && prepared.error.type === 'code-is-being-loaded';
}
