import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { failedGit, gitFailure } from '../git.ts';
import { inTurn } from '../in-turn.ts';
import { removeWorktree } from '../remove-worktree.ts';
import type { Clone } from './clone.ts';
import { fetchRef } from './hub.ts';

/**
 * A new detached worktree of a clone, in place of what is there. `ref`: fetched first. A fetch reads the records of all worktrees, and fails on
 * one that is just being written, so both are done in turn.
 */
export function addWorktree(
  clone: Clone,
  {
    folder,
    base,
    ref,
    prefix,
    signal,
  }: {
    readonly folder: string;
    readonly base: string;
    readonly ref?: string;
    readonly prefix: string;
    readonly signal: AbortSignal;
  },
): Promise<Result<void, Failure>> {
  return inTurn(clone, signal, async () => {
    const isHere = ref === undefined || clone.whole.has(base);
    const fetched = isHere ? ok(base) : await fetchRef(clone, ref);
    if (fetched.type === 'error') return fetched;
    if (fetched.value !== base) return error(failedGit(`found no files at \`${ref}\` in the hub`));
    clone.whole.add(base);
    await removeWorktree(clone.git, { folder, home: clone });
    const added = await clone.git(['worktree', 'add', '--quiet', '--detach', folder, base]);
    if (added.exitCode !== 0) return error(gitFailure('create a checkout', added));
    makeFolder(join(folder, prefix));
    return ok(undefined);
  });
}

export function dropWorktree(
  clone: Clone,
  folder: string,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  return inTurn(clone, signal, async () => {
    await removeWorktree(clone.git, { folder, home: clone });
    return ok(undefined);
  });
}
