/** Reads one of thousands of files. */
import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { nativeFunctions } from '../model/native-functions.ts';
import { errnoOf } from './errno.ts';
import { readPlainText } from './plain-file.ts';

const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
/** Large enough for nearly every document. */
const SHARED = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Like `readPlainText`, for a file in a folder that the caller has checked; undefined if there is no such file. Takes half the time of
 * `readFileSync` with the native part, and a sixth less without it.
 */
export function readOfMany(path: string): string | undefined {
  const native = nativeFunctions();
  try {
    return (native === undefined ? readShort(path) : native.readShort(path)) ?? readPlainText(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Undefined if it is empty, too long or not a regular file; the caller then opens it again with all checks. */
function readShort(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, OPEN_FLAGS);
    // At a position, pipes and the like refuse to be read, and a file gives less than was asked for only at its end.
    const length = fs.readSync(fd, SHARED, 0, SHARED.length, 0);
    return length === 0 || length === SHARED.length ? undefined : SHARED.toString('utf8', 0, length);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') throw cause;
    return undefined;
  } finally {
    if (fd !== undefined) closeFile(fd);
  }
}
