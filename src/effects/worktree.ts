/** Worktrees as effects: `git/worktree.ts` owns the mechanism and its rules. */
import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Effect, EffectContext } from '../engine/durable.ts';
import { gitFailure } from '../git/git.ts';
import { inTurn } from '../git/in-turn.ts';
import { openRepository } from '../git/repository.ts';
import { NO_FILE, type TreeEntry } from '../git/trees.ts';
import {
  commitWorktree,
  discardWorktree,
  mergeWorktree,
  openWorktree,
  type Worktree,
  worktreeAt,
} from '../git/worktree.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import type { EffectOutput } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { RunProcess } from '../process/run-process.ts';
import { runPathsIn } from '../store/layout.ts';
import { makeFolder } from '../store/make-folder.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import type {
  ChangedFile,
  CommitWorktreeInput,
  CommitWorktreeOutput,
  DiscardWorktreeInput,
  MergeWorktreeInput,
  MergeWorktreeOutput,
  OpenWorktreeInput,
  OpenWorktreeOutput,
  WorktreeInput,
} from './contracts.ts';
import { createGit } from './effect-git.ts';
import { settleFolder } from './settle-folder.ts';

export function createOpenWorktree(run: RunProcess): Effect<OpenWorktreeInput, OpenWorktreeOutput> {
  return async (input, context) => {
    const opened = await withWorktree({ run, input, context }, (worktree) =>
      openWorktree(worktree, {
        include: input.include ?? [],
        linked: input.linked ?? [],
        settle: (folder) => settleFolder(run, context, folder),
      }),
    );
    if (opened.type === 'error') return { failure: opened.error };
    const { worktree, value } = opened.value;
    const { workspace, home = workspace, directory } = context.run;
    const folder = relative(home, value.folder);
    return {
      folder,
      inRun: relative(directory, value.folder),
      branch: worktree.names.branch,
      base: value.base,
    };
  };
}

interface Saved {
  readonly files: readonly TreeEntry[];
  readonly patch: string | undefined;
}

export function createCommitWorktree(run: RunProcess): Effect<CommitWorktreeInput, CommitWorktreeOutput> {
  return async (input, context) => {
    const committed = await withWorktree<Saved | undefined>({ run, input, context }, async (worktree) => {
      const work = await commitWorktree(worktree, input);
      if (work.type === 'error') return work;
      if (work.value === undefined) return ok(undefined);
      const { base, work: tip, files } = work.value;
      const patch = files.length === 0 ? ok(undefined) : await writePatch(worktree, context, [base, tip]);
      return patch.type === 'error' ? patch : ok({ files, patch: patch.value });
    });
    if (committed.type === 'error') return { failure: committed.error };
    const { worktree, value } = committed.value;
    if (value === undefined) return {};
    const { files, patch } = value;
    return {
      branch: worktree.names.branch,
      files: files.map(changedFile),
      ...defined({ patch }),
      ...again(context),
    };
  };
}

function again({ attempt }: EffectContext): { readonly isAgain?: true } {
  return attempt > 1 ? { isAgain: true } : {};
}

function changedFile({ path, oldMode, newMode }: TreeEntry): ChangedFile {
  if (oldMode === NO_FILE) return { path, change: 'added' };
  return { path, change: newMode === NO_FILE ? 'deleted' : 'modified' };
}

/** Relative to the run's folder. Git writes it, however long it is. */
async function writePatch(
  { home, names }: Worktree,
  context: EffectContext,
  [base, work]: readonly [string, string],
): Promise<Result<string, Failure>> {
  const { directory } = context.run;
  const { diffs } = runPathsIn(directory);
  makeFolder(diffs);
  const path = join(diffs, `${names.folderName}.patch`);
  const temporary = temporaryPath(path);
  const written = await home.git([
    ...['diff', '--binary', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'],
    ...[`--output=${temporary}`, base, work],
  ]);
  if (written.exitCode !== 0) return error(gitFailure('write the difference', written));
  fs.chmodSync(temporary, 0o600);
  fs.renameSync(temporary, path);
  return ok(relative(directory, path));
}

export function createMergeWorktree(run: RunProcess): Effect<MergeWorktreeInput, MergeWorktreeOutput> {
  return async (input, context) => {
    const merged = await withWorktree({ run, input, context }, (worktree) =>
      mergeWorktree(worktree, input.commit),
    );
    return merged.type === 'error' ? { failure: merged.error } : { ...merged.value.value, ...again(context) };
  };
}

export function createDiscardWorktree(run: RunProcess): Effect<DiscardWorktreeInput, EffectOutput> {
  return async (input, context) => {
    const discarded = await withWorktree({ run, input, context }, (worktree) =>
      discardWorktree(worktree, { keep: input.keepBranch === true ? 'branch' : 'nothing' }),
    );
    return discarded.type === 'error' ? { failure: discarded.error } : {};
  };
}

interface Call {
  readonly run: RunProcess;
  readonly input: WorktreeInput;
  readonly context: EffectContext;
}

interface Done<Value> {
  readonly worktree: Worktree;
  readonly value: Value;
}

/** Never committed, wherever it is. */
const OWN_FOLDER = '.orchestrate';

/** W7 */
async function withWorktree<Value>(
  { run, input, context }: Call,
  action: (worktree: Worktree) => Promise<Result<Value, Failure>>,
): Promise<Result<Done<Value>, Failure>> {
  const { workspace, runId, directory, branches } = context.run;
  const repository = await openRepository(createGit(run, context, workspace));
  if (repository.type === 'error') return repository;
  const { worktrees, merges } = runPathsIn(directory);
  const except = [OWN_FOLDER, ...(input.except ?? [])];
  const place = { home: repository.value, runId, worktrees, merges, name: input.name, branches, except };
  const worktree = worktreeAt(place);
  const done = await inTurn(repository.value, context.signal, () => action(worktree));
  return done.type === 'error' ? done : ok({ worktree, value: done.value });
}
