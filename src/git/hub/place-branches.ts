import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { gitFailure } from '../git.ts';
import type { Clone } from './clone.ts';
import { fetchInTurn } from './fetch-in-turn.ts';
import { keptBranch, keptRef } from './hub-refs.ts';

/**
 * Makes branches of work that is not merged, for commands in a checkout that name them. `names`: the ends of their names; one that the hub does not
 * have is left out.
 */
export async function placeBranches(
  clone: Clone,
  runId: string,
  names: readonly string[],
): Promise<Result<void, Failure>> {
  for (const name of names) {
    const commit = await fetchInTurn(clone, keptRef(runId, name));
    if (commit.type === 'error') return commit;
    if (commit.value === undefined) continue;
    const branch = `refs/heads/${keptBranch(runId, name)}`;
    const set = await clone.git(['update-ref', branch, commit.value]);
    if (set.exitCode !== 0) return error(gitFailure('create a branch', set));
  }
  return ok(undefined);
}
