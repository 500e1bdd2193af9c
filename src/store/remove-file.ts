import fs from 'node:fs';
import { errnoOf } from './errno.ts';

/** Removes a file or link where there is one. `rmSync` does the same, and the part of Node that it loads costs a millisecond. */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}

/** Removes a folder that holds nothing; any other stays. */
export function removeIfEmpty(folder: string): void {
  unlessRefused(() => fs.rmdirSync(folder));
}

/** Removes what is only to be cleared away: where that is refused, it is swept later, and what was done stays done. */
export function clearAway(path: string): void {
  unlessRefused(() => removeFile(path));
}

/** The same of a folder with all that is in it. */
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
