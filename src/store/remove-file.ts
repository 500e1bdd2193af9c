import fs from 'node:fs';

/** Removes a file or link where there is one. `rmSync` does the same, and the part of Node that it loads costs a millisecond. */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}
