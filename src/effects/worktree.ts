/**
 * A task's own checkout: opened beside other work, merged back when the task is done.
 *
 * W1 Git does not support two worktree commands at once in one repository: each reads the records of all worktrees, and fails on
 *    one that is just being written. So only one task at a time, of any run, opens or merges its worktree.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Effect, EffectContext } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import type { EffectOutput } from '../model/record.ts';
import type { RunProcess } from '../process/run-process.ts';
import { withLock } from '../store/lock.ts';
import { realPath } from '../store/own-path.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../store/safe-path.ts';
import type {
  DiscardWorktreeInput,
  MergeWorktreeInput,
  MergeWorktreeOutput,
  OpenWorktreeInput,
} from './contracts.ts';
import { createGit, type Git, gitFailure, splitZero, wasAdded } from './git.ts';

const WAIT_MS = 10 * 60_000;

/** A worktree left by an interrupted attempt is created again from scratch. */
export function createOpenWorktree(run: RunProcess): Effect<OpenWorktreeInput, EffectOutput> {
  return async (input, context) => {
    const site = await siteOf(run, context, input.folder);
    if ('failure' in site) return site;
    return inTurn(site.git, context, () => openWorktree(site, input, context));
  };
}

async function openWorktree(
  { git, folder }: Site,
  input: OpenWorktreeInput,
  context: EffectContext,
): Promise<EffectOutput> {
  await discard(git, folder, input.branch);
  const parent = makeFolderInside(context.run.workspace, dirname(input.folder));
  if (parent.type === 'error') return { failure: parent.error };
  const made = await git(['worktree', 'add', '--quiet', '-B', input.branch, folder, 'HEAD']);
  if (made.exitCode !== 0) return { failure: gitFailure('create a worktree', made) };
  try {
    for (const path of input.linked) {
      const link = join(folder, path);
      if (!fs.existsSync(link)) fs.symlinkSync(join(context.run.workspace, path), link);
    }
    return {};
  } catch (cause) {
    return { failure: fileFailure('link', input.folder, cause) };
  }
}

/**
 * Commits the work in the worktree and merges it into the workspace. A conflict is undone, and its files are reported. The branch
 * stays until the commit is recorded (`discard-worktree`), so repeating it gives the same commit. There is none if a user has
 * merged and removed the branch.
 */
export function createMergeWorktree(run: RunProcess): Effect<MergeWorktreeInput, MergeWorktreeOutput> {
  return async (input, context) => {
    const site = await siteOf(run, context, input.folder);
    if ('failure' in site) return site;
    return inTurn(site.git, context, () => mergeWorktree(site, input));
  };
}

/** Called once the work is merged and the commit recorded. Safe to repeat. */
export function createDiscardWorktree(run: RunProcess): Effect<DiscardWorktreeInput, EffectOutput> {
  return async (input, context) => {
    const site = await siteOf(run, context, input.folder);
    if ('failure' in site) return site;
    return inTurn(site.git, context, async () => {
      await discard(site.git, site.folder, input.branch);
      return {};
    });
  };
}

async function mergeWorktree({ git, folder }: Site, input: MergeWorktreeInput): Promise<MergeWorktreeOutput> {
  const known = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${input.branch}`]);
  if (known.exitCode !== 0) return {};
  if (fs.existsSync(folder)) {
    const except = input.except.map((path) => `:(exclude,top)${path}`);
    const added = await git(['add', '--all', '--', ':/', ...except], { cwd: folder });
    if (!wasAdded(added)) return { failure: gitFailure('add the files', added) };
    const differs = await git(['diff', '--cached', '--quiet', '--no-ext-diff'], { cwd: folder });
    if (differs.exitCode !== 0) {
      const done = await git(['commit', '--quiet', '--message', input.message], { cwd: folder });
      if (done.exitCode !== 0) return { failure: gitFailure('commit', done) };
    }
  }
  const tip = await git(['rev-parse', '--verify', `refs/heads/${input.branch}`]);
  await abortInterruptedMerge(git, tip.stdout);
  const merged = await git(['merge', '--quiet', '--no-edit', '--message', input.message, input.branch]);
  if (merged.exitCode !== 0) {
    const conflicts = splitZero((await git(['diff', '--name-only', '--diff-filter=U', '-z'])).stdout);
    await git(['merge', '--abort']);
    return conflicts.length > 0 ? { conflicts } : { failure: gitFailure('merge', merged) };
  }
  return { commit: await commitThatBrought(git, tip.stdout.trim()) };
}

/** The first commit of the workspace's own history that contains the branch, even long after the merge. */
async function commitThatBrought(git: Git, tip: string): Promise<string> {
  const since = await git(['rev-list', '--first-parent', '--ancestry-path', '--reverse', `${tip}..HEAD`]);
  const [first = ''] = since.stdout.split('\n');
  if (first === '') return tip;
  const before = await git(['rev-parse', '--verify', '--quiet', `${first}^1`]);
  return before.stdout.trim() === tip ? tip : first;
}

/** Undoes a merge of this branch that was interrupted by a kill; a merge started by the user is left alone. */
async function abortInterruptedMerge(git: Git, tip: string): Promise<void> {
  const merging = await git(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD']);
  if (merging.exitCode === 0 && merging.stdout.trim() === tip.trim()) await git(['merge', '--abort']);
}

async function discard(git: Git, folder: string, branch: string): Promise<void> {
  if (fs.existsSync(folder)) await git(['worktree', 'remove', '--force', folder]);
  fs.rmSync(folder, { recursive: true, force: true });
  await git(['worktree', 'prune']);
  await git(['branch', '--quiet', '-D', branch]);
}

interface Site {
  readonly git: Git;
  /** Absolute path of the worktree. */
  readonly folder: string;
}

async function inTurn<Output extends EffectOutput>(
  git: Git,
  context: EffectContext,
  action: () => Promise<Output>,
): Promise<Output | { readonly failure: Failure }> {
  const shared = await git(['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (shared.exitCode !== 0) return { failure: gitFailure('find its repository', shared) };
  const path = join(realPath(shared.stdout.trimEnd()), 'orchestrate-worktrees.lock');
  try {
    const done = await withLock(path, { waitMs: WAIT_MS, signal: context.signal }, action);
    return done.type === 'ok'
      ? done.value
      : { failure: { type: 'file', operation: 'lock', path, code: 'EBUSY' } };
  } catch (cause) {
    context.signal.throwIfAborted();
    return { failure: fileFailure('lock', path, cause) };
  }
}

async function siteOf(
  run: RunProcess,
  context: EffectContext,
  relative: string,
): Promise<Site | { readonly failure: Failure }> {
  const folder = resolveInside(context.run.workspace, relative);
  if (folder.type === 'error') return { failure: folder.error };
  return { git: createGit(run, context, context.run.workspace), folder: folder.value };
}
