import fs from 'node:fs';

/**
 * Closes a file that was only read, or whose bytes are synced. Its descriptor is freed whatever the system returns, and the data is safe:
 * there is nothing to fail for. For bytes that were written and not synced this does not hold: `close` may then report a
 * failed write.
 */
export function closeFile(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch (problem) {
    // Closed twice: a bug, which could close an unrelated file the next time.
    if ((problem as NodeJS.ErrnoException).code === 'EBADF') throw problem;
  }
}
