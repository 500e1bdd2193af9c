import type { Failure } from '../../model/failure.ts';
import { ok, type Result } from '../../model/result.ts';
import { inTurn } from '../in-turn.ts';
import type { Clone } from './clone.ts';
import { fetchRef } from './hub.ts';

const { signal: NEVER } = new AbortController();

/**
 * Brings the commits of a ref into a clone. A fetch reads the records of all worktrees, and fails on one that is just being written, so
 * it takes its turn with those. `expected`: nothing is fetched if the clone has this commit.
 */
export async function fetchInTurn(
  clone: Clone,
  ref: string,
  expected?: string,
): Promise<Result<string | undefined, Failure>> {
  if (expected !== undefined && clone.whole.has(expected)) return ok(expected);
  const fetched = await inTurn(clone, NEVER, () => fetchRef(clone, ref));
  if (fetched.type === 'ok' && fetched.value !== undefined) clone.whole.add(fetched.value);
  return fetched;
}
