import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { realPath } from '../store/own-path.ts';
import { removeFile } from '../store/remove-file.ts';
import { fileFailure } from '../store/safe-path.ts';
import { syncFolder } from '../store/write-whole.ts';
import type { Repository } from './repository.ts';
import type { Change } from './three-way.ts';
import { clearIndex, copyIndex, entriesBetween, putEntries } from './trees.ts';

/** How long another git may hold the index. */
const MOST_WAITS = 100;
const WAIT_MS = 100;

/**
 * Changes some entries of the user's index; the others stay exactly as they are. The new index is made beside the old one and takes git's own
 * lock for the moment of two renames. A kill in that moment leaves a lock that is a second name of our file, so it is known to be ours.
 * Returns false if the index was changed meanwhile, and then nothing has happened.
 */
export async function changeIndex(repository: Repository, change: Change): Promise<Result<boolean, Failure>> {
  const { git, gitDir } = repository;
  const own = join(realPath(gitDir), 'index');
  const made = join(realPath(gitDir), 'orchestrate-index');
  giveBack(own, made);
  const entries = await entriesBetween(git, change.from, change.to);
  if (entries.type === 'error' || entries.value.length === 0)
    return entries.type === 'ok' ? ok(true) : entries;
  const before = lookAt(own);
  copyIndex(repository, made);
  try {
    const put = await putEntries(git, made, entries.value);
    if (put.type === 'error') return put;
    if (!(await lockIndex(own, made)))
      return error({ type: 'file', operation: 'lock', path: `${own}.lock`, code: 'EBUSY' });
    if (!isSame(before, lookAt(own))) return ok(false);
    fs.renameSync(`${own}.lock`, own);
    syncFolder(dirname(own));
    return ok(true);
  } catch (cause) {
    return error(fileFailure('write', own, cause));
  } finally {
    giveBack(own, made);
  }
}

async function lockIndex(own: string, made: string): Promise<boolean> {
  for (let waited = 0; waited < MOST_WAITS; waited += 1) {
    try {
      fs.linkSync(made, `${own}.lock`);
      return true;
    } catch (cause) {
      if (errnoOf(cause) !== 'EEXIST') throw cause;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return false;
}

/** Removes our file and, if it is the same file, the lock. */
function giveBack(own: string, made: string): void {
  const ours = lookAt(made);
  if (ours !== undefined && lookAt(`${own}.lock`)?.ino === ours.ino) removeFile(`${own}.lock`);
  clearIndex(made);
}

function lookAt(path: string): fs.BigIntStats | undefined {
  return fs.lstatSync(path, { throwIfNoEntry: false, bigint: true });
}

function isSame(one: fs.BigIntStats | undefined, other: fs.BigIntStats | undefined): boolean {
  return one?.ino === other?.ino && one?.mtimeNs === other?.mtimeNs && one?.size === other?.size;
}
