/** A repository of this machine that has nothing of its own: it exchanges commits with a hub and carries worktrees. Removing it loses nothing. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { clearFolderAway } from '../../store/remove-file.ts';
import { type Git, gitFailure } from '../git.ts';
import type { Repository } from '../repository.ts';
import { OWN_BRANCHES, OWN_REFS } from '../worktree-names.ts';
import { COPIES, type Hub, removeRefs } from './hub.ts';

export interface Clone extends Hub {
  /** Absolute: of the repository, which has no files. */
  readonly commonDir: string;
  /** Absolute: for checkouts of calls. */
  readonly checkouts: string;
  /** Absolute: for checkouts of runs that are hosted here. */
  readonly runs: string;
  /** Commits that were fetched or made here completely: what a killed process left may lack files. */
  readonly whole: Set<string>;
  /** Folders of checkouts that are in use: the end of the last call that waits for each. */
  readonly inUse: Map<string, Promise<unknown>>;
  /** By base: the folders that `setup` is preparing or has prepared. */
  readonly prepared: Map<string, Prepared>;
}

export interface Prepared {
  readonly repository: Promise<Result<Repository, Failure>>;
  /** Aborted with the call for which `setup` runs. */
  readonly signal: AbortSignal;
  /** How many calls are copying from it. */
  users: number;
}

export interface CloneInput {
  readonly address: string;
  /** Absolute; one process uses it at a time. */
  readonly folder: string;
  /** Makes a git that runs in a folder. */
  readonly gitIn: (folder: string) => Git;
}

export async function openClone({ address, folder, gitIn }: CloneInput): Promise<Result<Clone, Failure>> {
  makeFolder(folder);
  const commonDir = join(realPath(folder), 'repository.git');
  const git = gitIn(folder);
  if (!fs.existsSync(join(commonDir, 'HEAD'))) {
    const made = await git(['init', '--quiet', '--bare', '--', commonDir]);
    if (made.exitCode !== 0) return error(gitFailure('create a repository', made));
  }
  // What is left of a process that was killed is of no use: a call that is repeated gets a new checkout.
  const [checkouts = '', runs = ''] = ['checkouts', 'runs'].map((name) => join(realPath(folder), name));
  for (const left of [checkouts, runs]) {
    clearFolderAway(left);
    makeFolder(left, 0o700);
  }
  const pruned = await git(['--git-dir', commonDir, 'worktree', 'prune', '--expire', 'now']);
  if (pruned.exitCode !== 0) return error(gitFailure('prepare a repository', pruned));
  const clone = {
    git: gitIn(commonDir),
    address,
    commonDir,
    checkouts,
    runs,
    inUse: new Map(),
    prepared: new Map(),
    whole: new Set<string>(),
  };
  for (const refs of [COPIES, OWN_REFS, OWN_BRANCHES]) {
    const forgotten = await removeRefs(clone.git, refs.slice(0, -1));
    if (forgotten.type === 'error') return forgotten;
  }
  await clone.git(['gc', '--auto', '--quiet']);
  return ok(clone);
}
