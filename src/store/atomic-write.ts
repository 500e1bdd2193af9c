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
  /** Of the new file; 0600 where absent. */
  readonly mode?: number;
  /** Of a view, which can be made again: after a power loss the old one may stand in its place, whole as well. */
  readonly mayLag?: boolean;
  /** Of a view that the next change makes again: a power loss may empty it. Readers see it whole all the same. */
  readonly mayBeLost?: boolean;
}

/**
 * Puts `contents` in the place of the file, old or missing (J4). Readers see the whole of the old or the whole of the new, also after a
 * power loss; when this returns, the new one is on the disk. Errors of the file system are thrown and leave the old file and no other.
 * No link is in its path (F1, F4 of plain-file.ts); one in the place itself is replaced, never followed.
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

/** The same where there must be none: answers false, and leaves it, when there is one already. Of two at once one gets true. */
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

/** `folder` is that of the file, opened. */
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
      // Without a sync it may be the close that tells of a write that has failed.
      if (mayBeLost === true) fs.closeSync(fd);
      else closeFile(fd);
    }
    return temporary;
  } catch (cause) {
    removeFile(temporary);
    throw cause;
  }
}
