import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { errnoOf } from './errno.ts';
import { inPlainFolder } from './plain-folder.ts';
import { removeFile } from './remove-file.ts';
import { temporaryPath } from './temporary-name.ts';
import { writeWhole } from './write-whole.ts';

export { sweepTemporaries } from './temporary-name.ts';

export interface ReplaceOptions {
  /** Mode of the new file; default: 0600. */
  readonly mode?: number;
  /** For a view that can be rebuilt: after a power loss the old version may be in its place, intact as well. */
  readonly mayLag?: boolean;
  /** For a view that the next change rebuilds: a power loss may empty it. Readers still never see part of it. */
  readonly mayBeLost?: boolean;
}

/**
 * Replaces the file, existing or missing, with `contents` (J4). Readers see either the old or the new version, even after a
 * power loss; when this returns, the new one is on the disk. File system errors are thrown and leave the old file and no other.
 * Its path contains no link (F1, F4 of plain-file.ts); a link in the place itself is replaced, never followed.
 * Synchronous: measured 0.8 ms against 1.1 ms with promises.
 */
export function replaceFile(path: string, contents: string | Uint8Array, options: ReplaceOptions = {}): void {
  inPlainFolder(dirname(path), (folder) => {
    const temporary = writeTemporary(folder.path, path, { ...options, contents });
    try {
      fs.renameSync(temporary, `${folder.path}/${basename(path)}`);
    } catch (cause) {
      removeFile(temporary);
      throw cause;
    }
    if (options.mayLag !== true && options.mayBeLost !== true) folder.sync();
  });
}

/** The same for a file that must not exist: returns false if it does. If two processes try at once, one gets true. */
export function placeFile(
  path: string,
  contents: string | Uint8Array,
  options: ReplaceOptions = {},
): boolean {
  return inPlainFolder(dirname(path), (folder) => {
    const temporary = writeTemporary(folder.path, path, { ...options, contents });
    try {
      fs.linkSync(temporary, `${folder.path}/${basename(path)}`);
    } catch (cause) {
      if (errnoOf(cause) === 'EEXIST') return false;
      throw cause;
    } finally {
      removeFile(temporary);
    }
    folder.sync();
    return true;
  });
}

/** `folder` is the opened folder of the file. */
function writeTemporary(
  folder: string,
  path: string,
  { contents, mode = 0o600, mayBeLost }: ReplaceOptions & { readonly contents: string | Uint8Array },
): string {
  const temporary = `${folder}/${basename(temporaryPath(path))}`;
  try {
    const fd = fs.openSync(temporary, 'wx', mode);
    try {
      writeWhole(fd, typeof contents === 'string' ? Buffer.from(contents) : contents);
      if (mayBeLost !== true) fs.fsyncSync(fd);
    } finally {
      // Without a sync, a failed write may only be reported by close.
      if (mayBeLost === true) fs.closeSync(fd);
      else closeFile(fd);
    }
    return temporary;
  } catch (cause) {
    removeFile(temporary);
    throw cause;
  }
}
