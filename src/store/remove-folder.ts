import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';
import { temporaryPath } from './temporary-name.ts';
import { syncFolder } from './write-whole.ts';

/**
 * Removes a folder and its contents, if it exists. It disappears at once: a process killed meanwhile leaves no partial folder, only
 * one under a temporary name that is swept later.
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
