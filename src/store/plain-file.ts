/**
 * The program's own files, and those it finds by name in the workspace: opened exactly where their path says.
 *
 * F1 No part of the path is a link. The location of an opened file is checked before a byte is read or written, so a link put
 *    there between the check and the opening is caught. Such paths start with `ownPath` or `realPath`.
 * F2 Only regular files are opened, and opening never blocks, neither on a pipe nor on a device.
 * F3 A file that is written in place has no other name. A file with a hard link elsewhere is replaced by a copy first.
 * F4 Files and folders are created through their opened parent folder, after checking that it is where its path says.
 * F5 A file that is read at once has at most `MOST_BYTES`.
 *
 * Refusals are thrown as file system errors (`Refusal`), so they are reported like those.
 */
import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { defined } from '../model/defined.ts';
import { errnoOf } from './errno.ts';
import { isOpenPath, realPathOfOpen } from './pinned-folder.ts';
import { inPlainFolder, isSamePath, refusal } from './plain-folder.ts';
import { copyOpen, separate } from './second-name.ts';
import { writeWhole } from './write-whole.ts';

const MOST_BYTES = 256 * 1024 * 1024;
/** Between opening a file and checking its location, its owner may move it. */
const MOST_TRIES = 3;

export interface PlainOptions {
  /**
   * `append` creates the file if it is missing, `extend` does not, `create` refuses an existing one; all three also read. `write`
   * truncates the file.
   */
  readonly to: 'append' | 'extend' | 'create' | 'write';
  /** Mode of a new file; default: 0600. */
  readonly mode?: number;
}

/** What is there is certainly not this program's: a link, a pipe, a folder, a huge file. Any other error says nothing about it. */
export function isForeignKind(code: string): boolean {
  return ['ELOOP', 'EISDIR', 'EFTYPE', 'EFBIG', 'EOVERFLOW'].includes(code);
}

/** The caller closes it. */
export function openPlain(path: string): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  for (let tried = 1; ; tried += 1) {
    const fd = opened(path, () => fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (isOpenPath(path) || isSamePath(realPathOfOpen(fd, path), path)) return fd;
    closeFile(fd);
    if (tried === MOST_TRIES) throw refusal('ELOOP', path);
  }
}

/** The caller closes it. */
export function openPlainTo(path: string, { to, mode = 0o600 }: PlainOptions): number {
  const { O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const access = {
    append: O_RDWR | O_APPEND | O_CREAT,
    extend: O_RDWR | O_APPEND,
    create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
    write: O_WRONLY | O_CREAT,
  };
  return inPlainFolder(dirname(path), (folder) => {
    const place = `${folder.path}/${basename(path)}`;
    const flags = access[to] | O_NOFOLLOW | (to === 'create' ? 0 : O_NONBLOCK);
    const fd = opened(path, () => fs.openSync(place, flags, mode));
    return separate(fd, place, { to: to === 'write' ? 'write' : 'append' });
  });
}

export function readPlain(path: string): Buffer {
  const fd = openPlain(path);
  try {
    return readOpen(fd, path);
  } finally {
    closeFile(fd);
  }
}

/** F5 */
export function readOpen(fd: number, path: string): Buffer {
  if (fs.fstatSync(fd).size > MOST_BYTES) throw refusal('EOVERFLOW', path);
  return fs.readFileSync(fd);
}

export function readPlainText(path: string): string {
  return readPlain(path).toString('utf8');
}

export function appendPlain(path: string, text: string, mode?: number): void {
  const fd = openPlainTo(path, { to: 'append', ...defined({ mode }) });
  try {
    writeWhole(fd, Buffer.from(text));
  } finally {
    fs.closeSync(fd);
  }
}

/** Creates `to`. */
export function copyPlain(from: string, to: string): void {
  const source = openPlain(from);
  try {
    const { mode } = fs.fstatSync(source);
    const copy = openPlainTo(to, { to: 'create', mode: mode & 0o777 });
    try {
      copyOpen(source, copy);
      fs.fsyncSync(copy);
    } finally {
      closeFile(copy);
    }
  } finally {
    closeFile(source);
  }
}

/** F2 */
function opened(path: string, open: () => number): number {
  let fd: number;
  try {
    fd = open();
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ELOOP') throw refusal('ELOOP', path);
    // A socket, or a device that does not exist.
    throw code === 'ENXIO' || code === 'ENODEV' ? refusal('EFTYPE', path) : cause;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return fd;
    throw refusal(stat.isDirectory() ? 'EISDIR' : 'EFTYPE', path);
  } catch (cause) {
    closeFile(fd);
    throw cause;
  }
}
