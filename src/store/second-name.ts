import fs from 'node:fs';
import { removeFile } from './remove-file.ts';
import { temporaryPath } from './temporary-name.ts';
import { writeWhole } from './write-whole.ts';

const READ_BYTES = 1 << 20;

/**
 * Makes sure that writing to an open file changes no file of another name: if it has a hard link, a copy takes its place at
 * `path`. For `write` the file is truncated. Returns the descriptor to use; the other one is closed.
 */
export function separate(fd: number, path: string, { to }: { readonly to: 'append' | 'write' }): number {
  let isDone = false;
  try {
    const { nlink, mode } = fs.fstatSync(fd);
    if (nlink > 1) return replaced(fd, path, { to, mode });
    if (to === 'write') fs.ftruncateSync(fd, 0);
    isDone = true;
    return fd;
  } finally {
    if (!isDone) fs.closeSync(fd);
  }
}

function replaced(
  fd: number,
  path: string,
  { to, mode }: { readonly to: 'append' | 'write'; readonly mode: number },
): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_APPEND } = fs.constants;
  const temporary = temporaryPath(path);
  const own = fs.openSync(
    temporary,
    O_RDWR | O_CREAT | O_EXCL | (to === 'append' ? O_APPEND : 0),
    mode & 0o777,
  );
  try {
    if (to === 'append') copyOpen(fd, own);
    fs.fsyncSync(own);
    fs.renameSync(temporary, path);
    return own;
  } catch (cause) {
    fs.closeSync(own);
    removeFile(temporary);
    throw cause;
  }
}

/** Copies everything in `from` to the current position of `to`. */
export function copyOpen(from: number, to: number): void {
  const bytes = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const got = fs.readSync(from, bytes, 0, bytes.length, at);
    if (got === 0) return;
    writeWhole(to, bytes.subarray(0, got));
    at += got;
  }
}
