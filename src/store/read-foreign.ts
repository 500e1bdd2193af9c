import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { refusal } from './errno.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The text of a file that belongs to the user or another tool and is not named on the command line, such as the settings of an agent. Links
 * are followed. Anything but a regular file is refused: a pipe would block, a device never ends. Throws file system errors.
 */
export function readForeign(path: string, mostBytes = MOST_BYTES): string {
  return readForeignBytes(path, mostBytes).toString('utf8');
}

/** The same for its bytes. */
export function readForeignBytes(path: string, mostBytes = MOST_BYTES): Buffer {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw refusal(stat.isDirectory() ? 'EISDIR' : 'EFTYPE', path);
    if (stat.size > mostBytes) throw refusal('EFBIG', path);
    return fs.readFileSync(fd);
  } finally {
    closeFile(fd);
  }
}
