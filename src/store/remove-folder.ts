import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { temporaryPath } from './temporary-name.ts';
import { syncFolder } from './write-whole.ts';

/**
 * Removes a folder with all that is in it, where there is one. It is gone in one go: who is killed on the way leaves no half of it, only
 * something under another name that is swept later.
 */
export function removeFolder(path: string): void {
  const aside = temporaryPath(path);
  try {
    fs.renameSync(path, aside);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return;
    throw cause;
  }
  syncFolder(dirname(path));
  fs.rmSync(aside, { recursive: true, force: true });
}
