/**
 * Folders that stay the same folder while something is done in them, whatever another process puts in their place meanwhile.
 *
 * On Linux a path through the open folder itself is used, which no link can lead elsewhere. Where the system has no such path,
 * the folder's own is used, checked once more after it was opened.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { fileFailure, isInside } from '../store/safe-path.ts';

export interface FolderUse<Value> {
  /** What the folder must be, or be below. */
  readonly root: string;
  /** Absolute and real. */
  readonly folder: string;
  /** As the user wrote it, for failures. */
  readonly shown: string;
  /** What is done, for failures. */
  readonly operation: string;
  use(path: string): Value;
}

/** What the file system refuses in `use` is a failure too. */
export function inPinnedFolder<Value>(wanted: FolderUse<Value>): Result<Value, Failure> {
  let fd: number | undefined;
  try {
    fd = openFolder(wanted.folder);
    const real = process.platform === 'linux' ? fs.readlinkSync(pathOf(fd)) : fs.realpathSync(wanted.folder);
    if (!isInside(fs.realpathSync(wanted.root), real)) {
      const reason = 'was made to lead out of the workspace';
      return error({ type: 'unsafe-path', path: wanted.shown, reason });
    }
    return ok(wanted.use(pinned(fd, wanted.folder)));
  } catch (cause) {
    return error(fileFailure(wanted.operation, wanted.shown, cause));
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Takes out everything in it. Links are removed, never followed, also one that takes a folder's place meanwhile. */
export function emptyPinned(path: string): void {
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) removeFolder(inner);
    else fs.rmSync(inner, { force: true });
  }
}

function removeFolder(path: string): void {
  const fd = openFolder(path);
  try {
    emptyPinned(pinned(fd, path));
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(path);
}

function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  return fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

function pinned(fd: number, path: string): string {
  return process.platform === 'linux' ? pathOf(fd) : path;
}

function pathOf(fd: number): string {
  return `/proc/self/fd/${fd}`;
}
