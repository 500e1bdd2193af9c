/** The files of a checkout as a commit, with what its user has not committed; and work on top of it, with and without that. */
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import { type CommitWords, ownCommit, userCommit } from './commit-tree.ts';
import { type Git, printed } from './git.ts';
import { commitNamed, headOf, type Repository, treeOf } from './repository.ts';
import { carryOver } from './three-way.ts';
import { clearIndex, treeOfFiles, type WantedFiles } from './trees.ts';

const UNCOMMITTED = 'Uncommitted changes of the workspace';

/** All files that git does not ignore, and ignored ones that are named. `index`: an absolute path for a temporary file. */
export async function filesAsTree(
  repository: Repository,
  { index, ...files }: WantedFiles,
): Promise<Result<string, Failure>> {
  try {
    return await treeOfFiles(repository, { index, ...files });
  } finally {
    clearIndex(index);
  }
}

/** The current commit, or one on top of it with everything that is not committed. */
export async function commitOfFiles(git: Git, tree: string): Promise<Result<string, Failure>> {
  const head = await headOf(git);
  const committed = await treeOf(git, head);
  if (committed.type === 'error') return committed;
  if (head !== undefined && committed.value === tree) return ok(head);
  return ownCommit(git, tree, {
    parents: head === undefined ? [] : [head],
    message: UNCOMMITTED,
  });
}

/** The last commit that was made in a checkout on top of its base. */
export async function parentOf(git: Git, base: string): Promise<string> {
  const head = await headOf(git);
  const isOnTop = await git(['merge-base', '--is-ancestor', base, 'HEAD']);
  return head !== undefined && isOnTop.exitCode === 0 ? head : base;
}

export async function hasTree(git: Git, commit: string, tree: string): Promise<boolean> {
  const found = await treeOf(git, commit);
  return found.type === 'ok' && found.value === tree;
}

/** The work as a commit without the user's uncommitted changes, if it can be separated from them. */
export async function withoutUncommitted(
  git: Git,
  { base, tree, as }: { readonly base: string; readonly tree: string; readonly as: CommitWords },
): Promise<string | undefined> {
  const started = await treeOf(git, base);
  const parent = await commitNamed(git, `${base}^`);
  const committed = await treeOf(git, parent);
  if (started.type === 'error' || committed.type === 'error' || parent === undefined) return undefined;
  const words = await printed(git, ['log', '-1', '--format=%s', base], { doing: 'read a commit' });
  if (words.type === 'error' || words.value.trimEnd() !== UNCOMMITTED) return undefined;
  const alone = await carryOver(git, { from: started.value, to: tree }, committed.value);
  if (alone.type === 'error') return undefined;
  if (alone.value === committed.value) return parent;
  const commit = await userCommit(git, alone.value, { ...as, parents: [parent] });
  return commit.type === 'ok' ? commit.value : undefined;
}
