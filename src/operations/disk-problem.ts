import { describeRefusal } from '../store/describe-refusal.ts';
import { type Refused, refused } from './problem.ts';

/** An error of the file system is not a bug. Undefined if something else was thrown. */
export function diskProblem(cause: unknown): Refused | undefined {
  const refusal = describeRefusal(cause);
  return refusal === undefined ? undefined : refused('failed', refusal.message, refusal.help);
}
