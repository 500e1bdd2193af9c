/**
 * Brings files of a working tree from one tree to another, without touching the index.
 *
 * A1 A file is written only while it is exactly what the old tree says: as git reads it, and unchanged between that and the rename.
 *    Anything else – an edit saved this moment, an ignored file in the way – stops it before or at that file, and the file stays.
 * A2 A file appears complete, by a rename. Git itself makes its contents, with the line ends and filters of its path.
 * A3 Repeating it after a kill does what is left: the caller calculates again from the files as they are.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { pinFolder } from '../store/pinned-folder.ts';
import { removeIfEmpty } from '../store/remove-file.ts';
import { fileFailure, makeFolderInside } from '../store/safe-path.ts';
import { syncFile } from '../store/sync-file.ts';
import { gitFailure, wasAdded } from './git.ts';
import { SUBMODULE } from './not-saved.ts';
import type { Repository } from './repository.ts';
import type { Change } from './three-way.ts';
import { entriesBetween, indexOfTree, NO_FILE, type TreeEntry, writtenTree } from './trees.ts';

export interface WriteFilesInput extends Change {
  /** An absolute folder on the same disk, empty, for files on their way. */
  readonly scratch: string;
}

/** Returns the paths that were in the way (A1): empty if everything is written. */
export async function writeFiles(
  repository: Repository,
  input: WriteFilesInput,
): Promise<Result<readonly string[], Failure>> {
  const { git, top } = repository;
  const entries = await entriesBetween(git, input.from, input.to);
  if (entries.type === 'error' || entries.value.length === 0) return entries.type === 'ok' ? ok([]) : entries;
  const submodules = entries.value.filter(({ oldMode, newMode }) => [oldMode, newMode].includes(SUBMODULE));
  if (submodules.length > 0) return ok(submodules.map(({ path }) => path));
  const before = new Map(entries.value.map(({ path }) => [path, lookAt(join(top, path))]));
  const differing = await whatDiffers(repository, input, { entries: entries.value, before });
  if (differing.type === 'error' || differing.value.length > 0) return differing;
  const made = await makeContents(repository, input, entries.value);
  if (made.type === 'error') return made;
  for (const entry of entries.value.filter(({ newMode }) => newMode === NO_FILE)) {
    const removed = removeOne(top, entry, before.get(entry.path));
    if (removed.type === 'error' || !removed.value) return removed.type === 'ok' ? ok([entry.path]) : removed;
  }
  for (const entry of entries.value.filter(({ newMode }) => newMode !== NO_FILE)) {
    const put = putOne(top, entry, { before: before.get(entry.path), scratch: input.scratch });
    if (put.type === 'error' || !put.value) return put.type === 'ok' ? ok([entry.path]) : put;
  }
  return ok([]);
}

/** A1: git reads the files again, whatever its index says of them (`assume-unchanged`, an unseen edit of the same size and time). */
async function whatDiffers(
  { git, top }: Repository,
  { from, scratch }: WriteFilesInput,
  { entries, before }: { readonly entries: readonly TreeEntry[]; readonly before: ReadonlyMap<string, Seen> },
): Promise<Result<readonly string[], Failure>> {
  const index = join(scratch, 'index');
  const read = await indexOfTree(git, index, from);
  if (read.type === 'error') return read;
  const paths = entries
    .filter(({ path, oldMode }) => oldMode !== NO_FILE || before.get(path) !== undefined)
    .map(({ path }) => `:(top,literal)${path}`);
  if (paths.length > 0) {
    const added = await git(['add', '--all', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'], {
      env: { GIT_INDEX_FILE: index },
      stdin: paths.join('\0'),
      cwd: top,
    });
    if (!wasAdded(added)) return error(gitFailure('read the working tree', added));
  }
  const now = await writtenTree(git, index);
  if (now.type === 'error') return now;
  const changed = await entriesBetween(git, from, now.value);
  if (changed.type === 'error') return changed;
  // An ignored file that already is what it should become is in nobody's way.
  const wanted = new Map(entries.map((entry) => [entry.path, entry]));
  const isWanted = ({ path, newMode, newId }: TreeEntry): boolean =>
    wanted.get(path)?.newId === newId && wanted.get(path)?.newMode === newMode;
  return ok(changed.value.filter((entry) => !isWanted(entry)).map(({ path }) => path));
}

/** A2 */
async function makeContents(
  { git, top }: Repository,
  { to, scratch }: WriteFilesInput,
  entries: readonly TreeEntry[],
): Promise<Result<void, Failure>> {
  const index = join(scratch, 'index');
  const read = await indexOfTree(git, index, to);
  if (read.type === 'error') return read;
  const paths = entries.filter(({ newMode }) => newMode !== NO_FILE).map(({ path }) => path);
  if (paths.length === 0) return ok(undefined);
  const made = await git(['checkout-index', '--force', '-z', '--stdin', `--prefix=${contents(scratch)}/`], {
    env: { GIT_INDEX_FILE: index },
    stdin: paths.join('\0'),
    cwd: top,
  });
  return made.exitCode === 0 ? ok(undefined) : error(gitFailure('write the files', made));
}

function contents(scratch: string): string {
  return join(scratch, 'files');
}

type Seen = fs.BigIntStats | undefined;

/** Undefined: there is nothing. */
export function lookAt(path: string): Seen {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch (cause) {
    if (errnoOf(cause) === 'ENOTDIR') return undefined;
    throw cause;
  }
}

function isSame(one: Seen, other: Seen): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

/** False if the file is no longer what was looked at. */
function removeOne(top: string, { path }: TreeEntry, before: Seen): Result<boolean, Failure> {
  const removed = inItsFolder(top, path, {
    operation: 'remove',
    use: (place) => {
      if (!isSame(before, lookAt(place))) return false;
      if (before !== undefined) fs.unlinkSync(place);
      return true;
    },
  });
  if (removed.type === 'ok' && removed.value) removeEmptyParents(top, path);
  return removed;
}

/** As git does: a folder has no existence of its own. */
function removeEmptyParents(top: string, path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const names = fs.readdirSync(join(top, folder));
    if (names.length > 0) return;
    removeIfEmpty(join(top, folder));
  }
}

function putOne(
  top: string,
  { path, oldMode, newMode }: TreeEntry,
  { before, scratch }: { readonly before: Seen; readonly scratch: string },
): Result<boolean, Failure> {
  const made = join(contents(scratch), path);
  // The mode of a file is the user's, apart from what git knows of it.
  if (oldMode === newMode && before?.isFile() === true) fs.chmodSync(made, Number(before.mode & 0o7777n));
  if (fs.lstatSync(made).isFile()) syncFile(made);
  return inItsFolder(top, path, {
    operation: 'write',
    use: (place) => {
      if (!isSame(before, lookAt(place))) return false;
      if (before?.isDirectory() === true) {
        removeIfEmpty(place);
        if (lookAt(place) !== undefined) return false;
      }
      fs.renameSync(made, place);
      return true;
    },
  });
}

/** Through the opened folder, so that no link leads elsewhere: false if there is one on the way. */
function inItsFolder(
  top: string,
  path: string,
  { operation, use }: { readonly operation: string; use(place: string): boolean },
): Result<boolean, Failure> {
  const parent = dirname(path);
  const made = makeFolderInside(top, parent);
  if (made.type === 'error') return made;
  try {
    const root = fs.realpathSync(top);
    if (made.value !== join(root, parent)) return ok(false);
    const folder = pinFolder(root, made.value);
    if (folder === undefined) return ok(false);
    try {
      const isDone = use(join(folder.path, basename(path)));
      folder.sync();
      return ok(isDone);
    } finally {
      folder.close();
    }
  } catch (cause) {
    return error(fileFailure(operation, path, cause));
  }
}
