import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { isLink } from './pinned-folder.ts';
import { inPlainFolder, mustBePlainFolder, refusal } from './plain-folder.ts';

/**
 * Makes a folder and those above it that are missing; when this returns, they are on the disk: what is kept in a folder is lost with it.
 * Node's own recursive way tells `ENOENT` where the disk is read-only; here the error is the true one. No link is in its path (F1, F4 of
 * plain-file.ts).
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (!makeOne(path, mode)) {
    makeFolder(dirname(path), mode);
    makeOne(path, mode);
  }
}

/** Makes a folder where it is missing. Those above it must be there: what was moved away is not made anew in its old place. */
export function makeOneFolder(path: string, mode = 0o777): void {
  if (!makeOne(path, mode)) fs.mkdirSync(path, mode);
}

/** False where the folder it belongs into is missing. */
function makeOne(path: string, mode: number): boolean {
  try {
    inPlainFolder(dirname(path), (parent) => {
      fs.mkdirSync(`${parent.path}/${basename(path)}`, mode);
      parent.sync();
    });
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    if (code !== 'EEXIST') throw cause;
    if (isLink(path)) throw refusal('ELOOP', path);
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw cause;
    mustBePlainFolder(path);
  }
  return true;
}
