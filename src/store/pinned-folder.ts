/**
 * Folders that stay the same folder while they are used, even if another process replaces them meanwhile.
 *
 * On Linux paths go through the open folder itself, which no link can redirect. If the system has no such paths,
 * the folder's own path is used and checked once more after opening.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { errnoOf } from './errno.ts';
import { isInside } from './relative-path.ts';

/** The opener closes it; paths below `path` are valid until then. */
export class PinnedFolder {
  /** Absolute and real: the path to show and record. */
  readonly real: string;
  readonly #fd: number;

  constructor(fd: number, real: string) {
    this.#fd = fd;
    this.real = real;
  }

  /** The path to use. */
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

/** Undefined if it is not (or no longer) a real folder at or below `root`. `root` is real; file system errors are thrown. */
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

/** Removes everything in the folder. Links are removed, never followed, even one that replaces a folder meanwhile. */
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

/** A path through the open descriptor, which nothing can redirect; if the system has none, the path itself. */
export function pathOfOpen(fd: number, path: string): string {
  return hasOpenPaths() ? `${OPEN_PATHS}${fd}` : path;
}

const OPEN_PATHS = '/proc/self/fd/';
let hasPaths: boolean | undefined;

/** A sandbox may hide `/proc`. */
function hasOpenPaths(): boolean {
  hasPaths ??= process.platform === 'linux' && fs.existsSync(OPEN_PATHS);
  return hasPaths;
}

/** Whether a path goes through an open descriptor. */
export function isOpenPath(path: string): boolean {
  return path.startsWith(OPEN_PATHS);
}

/** The path to show and record for an open-descriptor path; any other stays as it is. */
export function lastingPath(path: string): string {
  return isOpenPath(path) ? fs.realpathSync(path) : path;
}

/** The current path of an open file or folder. */
export function realPathOfOpen(fd: number, path: string): string {
  if (hasOpenPaths()) return fs.readlinkSync(pathOfOpen(fd, path));
  const real = fs.realpathSync(path);
  const opened = fs.fstatSync(fd);
  const named = fs.statSync(real);
  return opened.ino === named.ino && opened.dev === named.dev ? real : '';
}

/** Undefined if a link is in its place. */
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
