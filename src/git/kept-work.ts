/** Work that was not merged when its run ended, and what its user has made of it since. */
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import { realPath } from '../store/own-path.ts';
import { commitNamed, treeOf } from './repository.ts';
import { type Change, carryOver } from './three-way.ts';
import { savedWork, type Worktree } from './worktree.ts';

/** `branch`: without what a run needs to merge it, because the run was cleaned. */
export type Kept = 'work' | 'branch' | 'nothing';

export async function keptOf({ home: { git }, names }: Worktree): Promise<Kept> {
  if ((await commitNamed(git, names.base)) !== undefined) return 'work';
  return (await commitNamed(git, `refs/heads/${names.branch}`)) === undefined ? 'nothing' : 'branch';
}

/** The folder in which a user has checked its branch out. */
export async function checkedOutIn({ home, names, folder }: Worktree): Promise<string | undefined> {
  const asked = await home.git(['for-each-ref', '--format=%(worktreepath)', `refs/heads/${names.branch}`]);
  const path = asked.stdout.trimEnd();
  return path === '' || realPath(path) === realPath(folder) ? undefined : path;
}

/** The saved work; or, if the user has continued on its branch, what that has more than the current one. */
export async function workOnBranch(worktree: Worktree): Promise<Result<Change, Failure>> {
  const { home, names } = worktree;
  const { git } = home;
  const saved = await savedWork(worktree);
  if (saved.type === 'error') return saved;
  const branch = `refs/heads/${names.branch}`;
  const tip = await commitNamed(git, branch);
  const to = await treeOf(git, tip);
  if (tip === undefined || to.type === 'error' || to.value === saved.value.to) return saved;
  // The user's uncommitted changes were no part of the branch.
  const committed = await treeOf(git, await commitNamed(git, `${names.base}^`));
  const alone = committed.type === 'error' ? committed : await carryOver(git, saved.value, committed.value);
  if (alone.type === 'ok' && alone.value === to.value) return saved;
  const common = await git(['merge-base', 'HEAD', branch]);
  if (common.exitCode !== 0) return saved;
  const from = await treeOf(git, common.stdout.trimEnd());
  return from.type === 'error' ? from : ok({ from: from.value, to: to.value });
}
