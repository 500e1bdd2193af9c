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
import type { Hub } from './hub.ts';

export interface Clone extends Hub {
  /** Absolute: of the repository, which has no files. */
  readonly commonDir: string;
  /** Absolute: for checkouts. */
  readonly checkouts: string;
  /** By base: the folders that `setup` is preparing or has prepared. */
  readonly prepared: Map<string, Prepared>;
}

export interface Prepared {
  readonly repository: Promise<Result<Repository, Failure>>;
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
  const checkouts = join(realPath(folder), 'checkouts');
  clearFolderAway(checkouts);
  makeFolder(checkouts);
  const pruned = await git(['--git-dir', commonDir, 'worktree', 'prune', '--expire', 'now']);
  if (pruned.exitCode !== 0) return error(gitFailure('prepare a repository', pruned));
  return ok({ git: gitIn(commonDir), address, commonDir, checkouts, prepared: new Map() });
}
