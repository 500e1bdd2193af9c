import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { isLink } from './pinned-folder.ts';
import { inPlainFolder, mustBePlainFolder, refusal } from './plain-folder.ts';

/**
 * Creates a folder and its missing parents; when this returns, they are on the disk: a file is lost with its folder.
 * Node's own recursive mode reports `ENOENT` on a read-only disk; here the error is the true one. The path contains no link (F1, F4 of
 * plain-file.ts).
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (!makeOne(path, mode)) {
    makeFolder(dirname(path), mode);
    makeOne(path, mode);
  }
}

/** Creates a folder if it is missing. Its parents must exist: a tree that was moved away is not created again in its old place. */
export function makeOneFolder(path: string, mode = 0o777): void {
  if (!makeOne(path, mode)) fs.mkdirSync(path, mode);
}

/** False if the parent folder is missing. */
function makeOne(path: string, mode: number): boolean {
  // Most folders exist, and an exception costs more than this check.
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    mustBePlainFolder(path);
    return true;
  }
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
