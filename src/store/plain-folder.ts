/** The program's own folders, opened exactly where their path says (F1, F4 of plain-file.ts). */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { errnoWords } from '../model/describe-failure.ts';
import { isLink, isOpenPath, PinnedFolder, realPathOfOpen } from './pinned-folder.ts';

/** The code of a file system error thrown where the system itself would have continued. */
export type Refusal = 'ELOOP' | 'EISDIR' | 'EFTYPE' | 'EOVERFLOW';

export function refusal(code: Refusal, path: string): NodeJS.ErrnoException {
  return new RefusedPath(code, path);
}

class RefusedPath extends Error {
  readonly code: Refusal;
  readonly path: string;

  constructor(code: Refusal, path: string) {
    super(`\`${path}\`: ${errnoWords(code)}`);
    this.code = code;
    this.path = path;
  }
}

/** The file or folder that was refused; `path` for any other cause. */
export function refusedPath(cause: unknown, path: string): string {
  return cause instanceof RefusedPath ? cause.path : path;
}

/** Does something in a folder that is pinned meanwhile. File system errors name files by the folder's own path. */
export function inPlainFolder<Value>(path: string, action: (folder: PinnedFolder) => Value): Value {
  const folder = pinPlain(path);
  try {
    return action(folder);
  } catch (cause) {
    throw withOwnPaths(cause, folder);
  } finally {
    folder.close();
  }
}

/** The error with the paths that the user knows. */
export function withOwnPaths(cause: unknown, { path, real }: PinnedFolder): unknown {
  if (!(cause instanceof Error) || path === real) return cause;
  const own = (text: string): string => text.replaceAll(path, real);
  const { path: from, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
  return Object.assign(cause, {
    message: own(cause.message),
    ...(from === undefined ? {} : { path: own(from) }),
    ...(dest === undefined ? {} : { dest: own(dest) }),
  });
}

/** The caller closes it. Refused if its path contains a link. */
export function pinPlain(path: string): PinnedFolder {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  let fd: number;
  try {
    // The path of an open folder is itself a link of the system.
    fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | (isOpenPath(path) ? 0 : O_NOFOLLOW));
  } catch (cause) {
    throw isLink(path) ? refusal('ELOOP', path) : cause;
  }
  try {
    const real = realPathOfOpen(fd, path);
    if (isOpenPath(path) || isSamePath(real, path)) return new PinnedFolder(fd, real);
    throw refusal('ELOOP', path);
  } catch (cause) {
    closeFile(fd);
    throw cause;
  }
}

export function mustBePlainFolder(path: string): void {
  pinPlain(path).close();
}

/** `real` is the path of an open file or folder. If its name now belongs to another file, the path says so. */
export function isSamePath(real: string, path: string): boolean {
  return real === path || real === `${path} (deleted)` || real === resolve(path);
}
