import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';

/**
 * A folder that is kept open, so that its inode number cannot be reused. Checking whether its path still leads to it takes one
 * `stat`. The opener closes it.
 */
export class HeldFolder {
  readonly path: string;
  readonly #fd: number;
  readonly #opened: fs.BigIntStats;

  /** Throws file system errors. */
  constructor(path: string) {
    const { O_RDONLY, O_DIRECTORY } = fs.constants;
    this.path = path;
    this.#fd = fs.openSync(path, O_RDONLY | O_DIRECTORY);
    this.#opened = fs.fstatSync(this.#fd, { bigint: true });
  }

  isInPlace(): boolean {
    return this.#isAt(this.path);
  }

  /** Its new path; undefined if it was removed or the system cannot tell. */
  whereNow(): string | undefined {
    try {
      const path = fs.readlinkSync(`/proc/self/fd/${this.#fd}`);
      return this.#isAt(path) ? path : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    closeFile(this.#fd);
  }

  #isAt(path: string): boolean {
    try {
      const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stat !== undefined && stat.ino === this.#opened.ino && stat.dev === this.#opened.dev;
    } catch {
      return false;
    }
  }
}
