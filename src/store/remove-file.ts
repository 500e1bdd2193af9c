import fs from 'node:fs';
import { errnoOf } from './errno.ts';

/** Removes a file or link if it exists. `rmSync` does the same but loads a part of Node that takes a millisecond. */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}

/** Removes a folder if it is empty. */
export function removeIfEmpty(folder: string): void {
  unlessRefused(() => fs.rmdirSync(folder));
}

/** Removes leftovers. A failure is ignored: they are swept later, and the completed work stays valid. */
export function clearAway(path: string): void {
  unlessRefused(() => removeFile(path));
}

/** The same for a folder and its contents. */
export function clearFolderAway(path: string): void {
  unlessRefused(() => fs.rmSync(path, { recursive: true, force: true }));
}

function unlessRefused(remove: () => void): void {
  try {
    remove();
  } catch (cause) {
    errnoOf(cause);
  }
}
