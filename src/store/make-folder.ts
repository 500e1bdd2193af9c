import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';

/**
 * Makes a folder and those above it that are missing. Node's own recursive way tells `ENOENT` where the disk is read-only; here the
 * error is the true one.
 */
export function makeFolder(path: string, mode: number): void {
  try {
    fs.mkdirSync(path, mode);
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return;
    const parent = dirname(path);
    if (errnoOf(cause) !== 'ENOENT' || parent === path) throw cause;
    makeFolder(parent, mode);
    fs.mkdirSync(path, mode);
  }
}
