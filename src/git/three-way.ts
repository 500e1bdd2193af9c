import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { ownCommit } from './commit-tree.ts';
import { type Git, gitFailure, splitZero } from './git.ts';

/** `git merge-tree --write-tree` exists since then. */
export const OLDEST_GIT = { major: 2, minor: 38 };

/** What changed between two trees. */
export interface Change {
  readonly from: string;
  readonly to: string;
}

/**
 * The tree that has the change and everything else of `onto`. Lines that both changed differently are a failure `conflict`. Only
 * calculates: no file, index or branch is touched.
 */
export async function carryOver(git: Git, change: Change, onto: string): Promise<Result<string, Failure>> {
  if (change.from === change.to || onto === change.to) return ok(onto);
  if (onto === change.from) return ok(change.to);
  const sides = await commitsOf(git, change, onto);
  if (sides.type === 'error') return sides;
  const [ours, theirs] = sides.value;
  const merged = await git([
    'merge-tree',
    '--write-tree',
    '-z',
    '--name-only',
    '--no-messages',
    ours,
    theirs,
  ]);
  const [tree = '', ...files] = splitZero(merged.stdout);
  if (merged.exitCode === 0) return ok(tree);
  if (merged.exitCode === 1 && files.length > 0)
    return error({ type: 'conflict', files: [...new Set(files)].sort() });
  const isOld = /unknown option|usage: git merge-tree/.test(merged.stderr);
  return error(
    isOld
      ? {
          type: 'cannot-start',
          program: 'git',
          code: 'OLD',
          reason: `worktrees need git ${OLDEST_GIT.major}.${OLDEST_GIT.minor} or newer`,
        }
      : gitFailure('merge', merged),
  );
}

/** Git merges commits, and finds the base in their history. */
async function commitsOf(
  git: Git,
  { from, to }: Change,
  onto: string,
): Promise<Result<readonly [string, string], Failure>> {
  const base = await ownCommit(git, from, { message: 'base' });
  if (base.type === 'error') return base;
  const ours = await ownCommit(git, onto, { parents: [base.value], message: 'ours' });
  if (ours.type === 'error') return ours;
  const theirs = await ownCommit(git, to, { parents: [base.value], message: 'theirs' });
  return theirs.type === 'error' ? theirs : ok([ours.value, theirs.value]);
}
