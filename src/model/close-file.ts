import fs from 'node:fs';

/**
 * Closes a file that was only read, or whose bytes are synced. Its descriptor is gone whatever the system answers, and what was read or synced
 * stays so: there is nothing to fail for. Bytes that were written and not synced are another matter: then `close` may tell of a
 * write that has failed.
 */
export function closeFile(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch (problem) {
    // Closed twice: a bug, which would close a file of somebody else the next time.
    if ((problem as NodeJS.ErrnoException).code === 'EBADF') throw problem;
  }
}
