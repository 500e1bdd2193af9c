/**
 * A worktree: a folder in which one piece of work – a step, an item, a branch, a loop, a task – has the files of a checkout to itself, until they
 * are brought back. One mechanism for every kind of run; `bring-in.ts` does the bringing back.
 *
 *   open ──▶ commit ──▶ merge ──▶ discard             its changes are in the checkout, nothing else is left
 *              ▲ │        └─────▶ leave the branch     a conflict: the branch has the work
 *              └─┴──────────────▶ leave the branch     failed or rejected: the branch has the work; `open` continues with it
 *
 * W1 It starts with the files of the checkout as they are: committed, staged, unstaged and untracked ones; ignored ones if they are named.
 *    Reading them touches neither the files nor the user's index.
 * W2 A folder that `open` did not finish has never been worked in, and is made again. Git's own lock on a worktree says so.
 * W3 Work is lost by nothing but `discard`: `open` leaves a finished folder as it is, or makes it again from the commit of its work, and `commit`
 *    fails if there is something in the folder that git cannot save (`not-saved.ts`).
 * W4 No hook of the repository runs, whoever wrote it, and no settings of the new folder count (`process/git-argv.ts`).
 * W5 Whether it was merged is decided by the record of the merge (B3), not by memory or by the branch.
 * W6 Every function may be repeated, at any time, after a kill at any moment.
 * W7 Only one at a time works on the worktrees of a repository (`in-turn.ts`); the caller takes the turn.
 * W8 It is on the disk before it counts as finished: after a power loss, a file that git had not written yet would look like one that the work
 *    has emptied or removed.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { makeFolder } from '../store/make-folder.ts';
import { readPlainText } from '../store/plain-file.ts';
import { syncFolder } from '../store/write-whole.ts';
import { type Brought, bringIn } from './bring-in.ts';
import { type CommitWords, userCommit } from './commit-tree.ts';
import { copyIgnored, linkInto } from './extra-files.ts';
import { failedGit, type Git, gitFailure } from './git.ts';
import { notSaved, notSavedFailure } from './not-saved.ts';
import { removeWorktree } from './remove-worktree.ts';
import { commitNamed, openRepository, type Repository, treeOf } from './repository.ts';
import { commitOfFiles, filesAsTree, hasTree, parentOf, withoutUncommitted } from './snapshot.ts';
import type { Change } from './three-way.ts';
import { clearIndex, entriesBetween, type TreeEntry, treeOfFiles } from './trees.ts';
import { type WorktreeNames, worktreeNames } from './worktree-names.ts';

/** One worktree of a run. */
export interface Worktree {
  /** The checkout that it starts from and returns to. */
  readonly home: Repository;
  readonly names: WorktreeNames;
  /** Absolute. */
  readonly folder: string;
  /** Absolute: for temporary files. */
  readonly scratch: string;
  /** Absolute: of the merge. */
  readonly record: string;
  /** From the top: not taken along and not brought back. */
  readonly except: readonly string[];
  /** Its work may have files that git ignores there. */
  readonly alsoIgnored?: boolean;
}

export interface WorktreePlace {
  readonly home: Repository;
  readonly runId: string;
  /** Absolute paths of folders of the run, which may not exist yet. */
  readonly worktrees: string;
  readonly merges: string;
  readonly name: string;
  /** The beginning of the name of its branch, if that is not the usual one. */
  readonly branches?: string | undefined;
  /** Relative to the folder of `home`. */
  readonly except: readonly string[];
}

export function worktreeAt({ home, runId, name, branches, ...place }: WorktreePlace): Worktree {
  const names = worktreeNames(runId, name, branches);
  const folder = join(place.worktrees, names.folderName);
  return {
    home,
    names,
    folder,
    scratch: `${folder}.scratch`,
    record: join(place.merges, `${names.folderName}.json`),
    except: place.except.map((path) => `${home.prefix}${path}`),
  };
}

export interface ExtraFiles {
  /** W8 */
  settle(folder: string): Promise<void>;
  /** Patterns of ignored files that are copied into it. */
  readonly include: readonly string[];
  /** Paths of the folder of `home` that are linked into it, unless it has them. */
  readonly linked: readonly string[];
}

/** W1, W2, W3. Returns the folder that corresponds to the folder of `home`, and the commit it started with. */
export async function openWorktree(
  worktree: Worktree,
  extra: ExtraFiles,
): Promise<Result<{ readonly folder: string; readonly base: string }, Failure>> {
  const { home, names, folder } = worktree;
  const { git } = home;
  const inside = join(folder, home.prefix);
  const known = await commitNamed(git, names.base);
  if (known !== undefined && isComplete(worktree)) return ok({ folder: inside, base: known });
  const base = known === undefined ? await baseCommit(worktree) : ok(known);
  if (base.type === 'error') return base;
  const start = (known === undefined ? undefined : await commitNamed(git, names.work)) ?? base.value;
  await removeWorktree(git, worktree);
  makeFolder(join(folder, '..'));
  removeOwnLocks(worktree);
  const saved = await setRef(git, names.base, base.value);
  if (saved.type === 'error') return saved;
  const made = await git([
    ...['worktree', 'add', '--quiet', '--lock', '--reason', 'orchestrate: not complete'],
    ...['-B', names.branch, folder, start],
  ]);
  if (made.exitCode !== 0) return error(gitFailure('create a worktree', made));
  makeFolder(inside);
  const copied = await copyIgnored(home, { patterns: extra.include, to: folder });
  if (copied.type === 'error') return copied;
  const linked = linkInto(home, { paths: extra.linked, to: inside });
  if (linked.type === 'error') return linked;
  await extra.settle(folder);
  const unlocked = await git(['worktree', 'unlock', folder]);
  if (unlocked.exitCode !== 0) return error(gitFailure('create a worktree', unlocked));
  syncFolder(recordOf(worktree));
  return ok({ folder: inside, base: base.value });
}

/** W2 */
function isComplete(worktree: Worktree): boolean {
  const { folder } = worktree;
  const record = recordOf(worktree);
  return (
    fs.existsSync(join(folder, '.git')) && fs.existsSync(record) && !fs.existsSync(join(record, 'locked'))
  );
}

/** W3, W4: the work may have removed or changed the file that makes the folder a worktree. */
function linkFolder(worktree: Worktree): Result<void, Failure> {
  const { folder } = worktree;
  const record = recordOf(worktree);
  if (!fs.existsSync(folder) || !fs.existsSync(record)) return ok(undefined);
  const link = join(folder, '.git');
  const found = fs.lstatSync(link, { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    return error(notSavedFailure(folder, [{ path: '.', type: 'repository' }]));
  const text = `gitdir: ${record}\n`;
  const isSame = found?.isFile() === true && found.size === Buffer.byteLength(text) && contains(link, text);
  if (!isSame) replaceFile(link, text);
  return ok(undefined);
}

function contains(file: string, text: string): boolean {
  try {
    return readPlainText(file) === text;
  } catch {
    // Unreadable, or something else by now: replaced.
    return false;
  }
}

/** Where git knows it. */
function recordOf({ home, names }: Worktree): string {
  return join(home.commonDir, 'worktrees', names.folderName);
}

/** W1 */
async function baseCommit(worktree: Worktree): Promise<Result<string, Failure>> {
  const { home } = worktree;
  const tree = await filesOf(worktree, home);
  if (tree.type === 'error') return tree;
  if (await isIgnored(home, tree.value)) return error(failedGit(ignores(home)));
  return commitOfFiles(home.git, tree.value);
}

/** Git sees no file in the folder of `home`, and none that is added: work in it would be lost. */
async function isIgnored({ git, prefix }: Repository, tree: string): Promise<boolean> {
  if (prefix === '') return false;
  const seen = await git(['cat-file', '-e', `${tree}:${prefix.slice(0, -1)}`]);
  if (seen.exitCode === 0) return false;
  const ignored = await git(['check-ignore', '--quiet', '--', '.']);
  return ignored.exitCode === 0;
}

function ignores({ top, prefix }: Repository): string {
  const folder = join(top, prefix.slice(0, -1));
  return `ignores the folder \`${folder}\`, which is in the repository \`${top}\`: work in a worktree could not be merged; run \`git init\` in the folder, or change the .gitignore`;
}

async function filesOf({ scratch, except }: Worktree, of: Repository): Promise<Result<string, Failure>> {
  makeFolder(join(scratch, '..'));
  return filesAsTree(of, { index: `${scratch}.index`, except });
}

/** W3: nothing of the folder is left out. */
async function allFilesOf(
  { scratch, except, folder }: Worktree,
  of: Repository,
  base: string,
): Promise<Result<string, Failure>> {
  const index = `${scratch}.index`;
  makeFolder(join(scratch, '..'));
  try {
    const tree = await treeOfFiles(of, { index, except });
    if (tree.type === 'error') return tree;
    const left = await notSaved(of, { base, tree: tree.value, index, except });
    if (left.type === 'error') return left;
    const [first, ...others] = left.value;
    return first === undefined ? tree : error(notSavedFailure(folder, [first, ...others]));
  } finally {
    clearIndex(index);
  }
}

export interface CommittedWork {
  /** From the top; empty if nothing was changed. */
  readonly files: readonly TreeEntry[];
  readonly base: string;
  readonly work: string;
}

/**
 * Saves what is in the folder as one commit on its branch, on top of commits that were made in it. Undefined if there is neither a folder nor
 * saved work: a user has removed it.
 */
export async function commitWorktree(
  worktree: Worktree,
  words: CommitWords,
): Promise<Result<CommittedWork | undefined, Failure>> {
  const { git } = worktree.home;
  const { names } = worktree;
  const base = await commitNamed(git, names.base);
  if (base === undefined) return ok(undefined);
  const linked = linkFolder(worktree);
  if (linked.type === 'error') return linked;
  if (isComplete(worktree)) {
    const saved = await saveWork(worktree, base, words);
    if (saved.type === 'error') return saved;
  }
  const work = (await commitNamed(git, names.work)) ?? base;
  const files = await entriesBetween(git, base, work);
  return files.type === 'error' ? files : ok({ files: files.value, base, work });
}

async function saveWork(
  worktree: Worktree,
  base: string,
  words: CommitWords,
): Promise<Result<void, Failure>> {
  const { names, folder, home } = worktree;
  removeOwnLocks(worktree);
  const own = await openRepository((argv, options) => home.git(argv, { cwd: folder, ...options }));
  if (own.type === 'error') return own;
  const { git } = own.value;
  const tree = await allFilesOf(worktree, own.value, base);
  if (tree.type === 'error') return tree;
  const saved = await commitNamed(git, names.work);
  if (saved !== undefined && (await hasTree(git, saved, tree.value))) return ok(undefined);
  const parent = await parentOf(git, base);
  const tip = (await hasTree(git, parent, tree.value))
    ? ok(parent)
    : await userCommit(git, tree.value, { ...words, parents: [parent] });
  if (tip.type === 'error') return tip;
  const alone =
    parent === base ? await withoutUncommitted(git, { base, tree: tree.value, as: words }) : undefined;
  const shown = await setRef(git, `refs/heads/${names.branch}`, alone ?? tip.value);
  return shown.type === 'error' ? shown : setRef(git, names.work, tip.value);
}

/** W6, W7: nothing else writes these refs, so a lock on one was left by a git that was killed. */
function removeOwnLocks({ home, names }: Worktree): void {
  for (const ref of [`refs/heads/${names.branch}`, names.work, names.base])
    fs.rmSync(join(home.commonDir, `${ref}.lock`), { force: true });
}

async function setRef(git: Git, ref: string, commit: string): Promise<Result<void, Failure>> {
  const set = await git(['update-ref', ref, commit]);
  return set.exitCode === 0 ? ok(undefined) : error(gitFailure('save the work', set));
}

/** W5. Brings the committed work into `home`; with `commit`, as one commit on its current branch. */
export function mergeWorktree(
  worktree: Worktree,
  commit: CommitWords | undefined,
  work: (worktree: Worktree) => Promise<Result<Change, Failure>> = savedWork,
): Promise<Result<Brought, Failure>> {
  const { home, names, record, except, alsoIgnored } = worktree;
  makeFolder(join(record, '..'));
  const input = { repository: home, record, except, alsoIgnored, scratch: worktree.scratch };
  return bringIn({ ...input, ...defined({ commit }) }, () => work(worktree)).then((done) =>
    done.type === 'error' && done.error.type === 'conflict'
      ? error({ ...done.error, branch: names.branch })
      : done,
  );
}

/** What was committed in it, as a change of trees. */
export async function savedWork({ home: { git }, names }: Worktree): Promise<Result<Change, Failure>> {
  const base = await commitNamed(git, names.base);
  const from = await treeOf(git, base);
  if (base === undefined || from.type === 'error')
    return from.type === 'error' ? from : ok(nothing(from.value));
  const to = await treeOf(git, (await commitNamed(git, names.work)) ?? base);
  return to.type === 'error' ? to : ok({ from: from.value, to: to.value });
}

/** A user has merged and removed it. */
function nothing(tree: string): Change {
  return { from: tree, to: tree };
}

/** `branch`: with everything that is needed to continue. `branch-alone`: as work that no run continues. */
export type Kept = 'branch' | 'branch-alone' | 'nothing';

/** Removes the folder, and the refs that are not kept. */
export async function discardWorktree(
  worktree: Worktree,
  { keep }: { readonly keep: Kept },
): Promise<Result<void, Failure>> {
  const { home, names } = worktree;
  await removeWorktree(home.git, worktree);
  removeOwnLocks(worktree);
  const branch = `refs/heads/${names.branch}`;
  const removed = {
    branch: [],
    'branch-alone': [names.work, names.base],
    nothing: [branch, names.work, names.base],
  };
  for (const ref of removed[keep]) {
    const gone = await home.git(['update-ref', '-d', ref]);
    if (gone.exitCode !== 0) return error(gitFailure('remove a branch', gone));
  }
  return ok(undefined);
}
