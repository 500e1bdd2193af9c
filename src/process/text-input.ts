/**
 * A text for a child to read, as an unnamed file in memory. What Node calls a pipe is a socket, and on Linux a socket cannot
 * be opened by name: a script that reads `/dev/stdin` would fail, and a shell assumes a network connection and runs
 * the user's `~/.bashrc`. A named pipe would block every process that opens it after the text is written.
 */
import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';

/** Linux only; Node does not define it. With O_DIRECTORY: an unnamed file in that folder. */
const O_TMPFILE = 0o20000000;
const IN_MEMORY = '/dev/shm';
/** `statfs` type of a file system in memory. On a disk, the text, which may be secret, would be stored. */
const TMPFS = 0x01021994;

/** Open for reading; the caller closes it. Undefined if such a file cannot be created or is full: a socket is used instead. */
export function openTextInput(text: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const { O_DIRECTORY, O_EXCL, O_RDWR } = fs.constants;
  let written: number | undefined;
  try {
    if (fs.statfsSync(IN_MEMORY).type !== TMPFS) return undefined;
    written = fs.openSync(IN_MEMORY, O_TMPFILE | O_DIRECTORY | O_EXCL | O_RDWR, 0o600);
    fs.writeFileSync(written, text);
    return fs.openSync(`/proc/self/fd/${written}`, 'r');
  } catch {
    return undefined;
  } finally {
    if (written !== undefined) closeFile(written);
  }
}
