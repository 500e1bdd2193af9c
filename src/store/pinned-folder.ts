/**
 * Folders that stay the same folder while something is done in them, whatever another process puts in their place meanwhile.
 *
 * On Linux a path through the open folder itself is used, which no link can lead elsewhere. Where the system has no such path,
 * the folder's own is used, checked once more after it was opened.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { errnoOf } from './errno.ts';
import { isInside } from './relative-path.ts';

/** Whoever opened it closes it; the paths below `path` are good until then. */
export class PinnedFolder {
  /** Absolute and real: to be told and recorded. */
  readonly real: string;
  readonly #fd: number;

  constructor(fd: number, real: string) {
    this.#fd = fd;
    this.real = real;
  }

  /** To be used. */
  get path(): string {
    return pathOfOpen(this.#fd, this.real);
  }

  sync(): void {
    fs.fsyncSync(this.#fd);
  }

  close(): void {
    closeFile(this.#fd);
  }
}

/** Nothing where it is not, or no more, a folder at or below `root`, itself no link. `root` is real; errors of the file system are thrown. */
export function pinFolder(root: string, path: string): PinnedFolder | undefined {
  const fd = openFolder(path);
  if (fd === undefined) return undefined;
  try {
    const real = realPathOfOpen(fd, path);
    if (isInside(root, real)) return new PinnedFolder(fd, real);
  } catch (cause) {
    closeFile(fd);
    throw cause;
  }
  closeFile(fd);
  return undefined;
}

/** Takes out everything in it. Links are removed, never followed, also one that takes a folder's place meanwhile. */
export function emptyPinned(path: string): void {
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    const fd = entry.isDirectory() ? openFolder(inner) : undefined;
    if (fd === undefined) {
      fs.rmSync(inner, { force: true });
      continue;
    }
    try {
      emptyPinned(pathOfOpen(fd, inner));
    } finally {
      closeFile(fd);
    }
    fs.rmdirSync(inner);
  }
}

/** A path through what is open, which nothing that takes its place can lead elsewhere; where the system has none, its own. */
export function pathOfOpen(fd: number, path: string): string {
  return hasOpenPaths() ? `${OPEN_PATHS}${fd}` : path;
}

const OPEN_PATHS = '/proc/self/fd/';
let isTold: boolean | undefined;

/** A sandbox may hide `/proc`. */
function hasOpenPaths(): boolean {
  isTold ??= process.platform === 'linux' && fs.existsSync(OPEN_PATHS);
  return isTold;
}

/** Whether a path leads through something open. */
export function isOpenPath(path: string): boolean {
  return path.startsWith(OPEN_PATHS);
}

/** The path by which what is open is told and recorded; any other stays as it is. */
export function lastingPath(path: string): string {
  return isOpenPath(path) ? fs.realpathSync(path) : path;
}

/** Where what is open stands now; nothing where that cannot be told. */
export function realPathOfOpen(fd: number, path: string): string {
  if (hasOpenPaths()) return fs.readlinkSync(pathOfOpen(fd, path));
  const real = fs.realpathSync(path);
  const opened = fs.fstatSync(fd);
  const named = fs.statSync(real);
  return opened.ino === named.ino && opened.dev === named.dev ? real : '';
}

/** Nothing where a link stands in its place. */
function openFolder(path: string): number | undefined {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  try {
    return fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    const code = errnoOf(cause);
    if ((code === 'ENOTDIR' || code === 'ELOOP') && isLink(path)) return undefined;
    throw cause;
  }
}

export function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
