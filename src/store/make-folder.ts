import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { syncFolder } from './write-whole.ts';

/**
 * Makes a folder and those above it that are missing; when this returns, they are on the disk: what is kept in a folder is lost with it.
 * Node's own recursive way tells `ENOENT` where the disk is read-only; here the error is the true one.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (!makeOne(path, mode)) {
    makeFolder(dirname(path), mode);
    makeOne(path, mode);
  }
}

/** False where the folder it belongs into is missing. */
function makeOne(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, mode);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EEXIST' && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      return true;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    throw cause;
  }
  syncFolder(dirname(path));
  return true;
}
