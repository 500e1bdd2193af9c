import { describeRefusal } from '../store/describe-refusal.ts';
import type { Problem } from './problem.ts';

/** An error of the file system is not a bug. Undefined if something else was thrown. */
export function diskProblem(cause: unknown): Problem | undefined {
  const refusal = describeRefusal(cause);
  return refusal === undefined
    ? undefined
    : { type: 'disk-error', reason: refusal.message, remedy: refusal.help };
}
