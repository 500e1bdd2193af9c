import { describeRefusal } from '../store/describe-refusal.ts';
import { type Refused, refused } from './problem.ts';

/** What the disk refuses is no bug of ours. Undefined: what was thrown is something else. */
export function diskProblem(cause: unknown): Refused | undefined {
  const refusal = describeRefusal(cause);
  return refusal === undefined ? undefined : refused('failed', refusal.message, refusal.help);
}
