/**
 * A text for a child to read, as a file in memory that never had a name. What Node calls a pipe is a socket, and on Linux a socket cannot
 * be opened by a name: a script that reads `/dev/stdin` would fail, and a shell takes itself for one behind a network connection and runs
 * the user's `~/.bashrc`. A pipe with a name would keep whoever opens it after the text is written waiting forever.
 */
import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';

/** Of Linux; Node has no name for it. Together with O_DIRECTORY: a file without a name in that folder. */
const O_TMPFILE = 0o20000000;
const IN_MEMORY = '/dev/shm';
/** What `statfs` says of a file system in memory. A folder of that name on a disk would keep what may be secret. */
const TMPFS = 0x01021994;

/** Open for reading, for the caller to close. Undefined where there is no such file, or no room for it: a socket has to do. */
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
