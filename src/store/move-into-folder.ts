/**
 * Moves a file into a folder without overwriting: if its name is taken it becomes `name-2.ext`, `name-3.ext`, …
 *
 * M1 The new name is created by link(2), which refuses a name that is taken; readers see the complete file at once. The old name is
 *    removed last, so at every moment the file has one name or both.
 * M2 Before the new name is created, `plan` is called with it. A caller that saves it can tell after a crash whether the move happened.
 * M3 Across file systems a synced copy is made beside the target first. If links are refused — another user's file, a file system
 *    without them — an empty file first takes the name, and the move replaces it.
 */
import fs from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { errnoOf } from './errno.ts';
import { pathOfOpen } from './pinned-folder.ts';
import { temporaryPath } from './temporary-name.ts';
import { syncFolder } from './write-whole.ts';

export interface PlannedMove {
  readonly to: string;
  /** Device of the file that will be at `to`. */
  readonly device: number;
  readonly inode: number;
}

/**
 * The folder must exist, and neither path may contain a link, except one through an open folder. Returns the new path; throws file system
 * errors. A move that a crash left with both names is finished; a file that is already in the folder stays as it is.
 */
export function moveIntoFolder(from: string, folder: string, plan?: (planned: PlannedMove) => void): string {
  const [standing, wanted] = [fs.statSync(dirname(from)), fs.statSync(folder)];
  // Two paths may lead to the same folder.
  if (standing.dev === wanted.dev && standing.ino === wanted.ino) return from;
  const isSameDevice = fs.lstatSync(from).dev === wanted.dev;
  const source = isSameDevice ? from : copyBeside(from, join(folder, basename(from)));
  try {
    const to = nameIn(folder, { source, name: basename(from), plan });
    syncFolder(folder);
    fs.rmSync(from, { force: true });
    syncFolder(dirname(from));
    return to;
  } finally {
    if (source !== from) fs.rmSync(source, { force: true });
  }
}

/** Whether the planned move has happened. */
export function hasMoved(planned: PlannedMove): boolean {
  const there = fs.lstatSync(planned.to, { throwIfNoEntry: false });
  return there !== undefined && there.dev === planned.device && there.ino === planned.inode;
}

interface Naming {
  readonly source: string;
  readonly name: string;
  readonly plan: ((planned: PlannedMove) => void) | undefined;
}

function nameIn(folder: string, { source, name, plan }: Naming): string {
  const { dev, ino } = fs.lstatSync(source);
  const extension = extname(name);
  for (let n = 1; ; n += 1) {
    const to = join(folder, n === 1 ? name : `${basename(name, extension)}-${n}${extension}`);
    const planned = { to, device: dev, inode: ino };
    if (hasMoved(planned)) return to;
    if (fs.lstatSync(to, { throwIfNoEntry: false }) !== undefined) continue;
    plan?.(planned);
    if (giveName(source, to)) return to;
  }
}

function giveName(source: string, to: string): boolean {
  try {
    fs.linkSync(source, to);
    return true;
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK' && code !== 'ENOSYS') throw cause;
  }
  return reserveAndRename(source, to);
}

function reserveAndRename(source: string, to: string): boolean {
  try {
    fs.closeSync(fs.openSync(to, 'wx'));
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false;
    throw cause;
  }
  try {
    fs.renameSync(source, to);
    return true;
  } catch (cause) {
    fs.rmSync(to, { force: true });
    throw cause;
  }
}

function copyBeside(from: string, to: string): string {
  const copy = temporaryPath(to);
  const source = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    fs.copyFileSync(pathOfOpen(source, from), copy, fs.constants.COPYFILE_EXCL);
    const { atime, mtime } = fs.fstatSync(source);
    fs.utimesSync(copy, atime, mtime);
    const fd = fs.openSync(copy, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      closeFile(fd);
    }
    return copy;
  } catch (cause) {
    fs.rmSync(copy, { force: true });
    throw cause;
  } finally {
    closeFile(source);
  }
}
