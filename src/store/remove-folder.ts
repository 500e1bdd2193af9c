import fs from 'node:fs';
import { errnoOf } from './errno.ts';
import { temporaryPath } from './temporary-name.ts';

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
  fs.rmSync(aside, { recursive: true, force: true });
}
