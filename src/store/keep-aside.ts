import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, refusal } from './errno.ts';
import { syncFolder } from './write-whole.ts';

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'];

/**
 * Gives the file at `path` a second, unused name: `<path>.kept-1`, `.kept-2`, …. When this returns, that name is on
 * the disk, and another file may take its place. After a kill in between, the name is found again and reused. A folder is refused.
 */
export function keepAside(path: string): string {
  if (fs.lstatSync(path).isDirectory()) throw refusal('EISDIR', path);
  for (;;) {
    const { name, isGiven } = freeName(path);
    if (!isGiven && !giveName(path, name)) continue;
    syncFolder(dirname(path));
    return name;
  }
}

/** The name that `keepAside` would use, if no other process uses it first. */
export function nameAside(path: string): string {
  return freeName(path).name;
}

function freeName(path: string): { readonly name: string; readonly isGiven: boolean } {
  const standing = fs.lstatSync(path, { throwIfNoEntry: false });
  for (let number = 1; ; number += 1) {
    const name = `${path}.kept-${number}`;
    const taken = fs.lstatSync(name, { throwIfNoEntry: false });
    if (taken === undefined) return { name, isGiven: false };
    if (taken.ino === standing?.ino && taken.dev === standing.dev) return { name, isGiven: true };
  }
}

/** False if the name is taken. */
function giveName(path: string, kept: string): boolean {
  try {
    fs.linkSync(path, kept);
    return true;
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw cause;
  }
  return copy(path, kept);
}

/** For file systems without links, or files that cannot be linked. */
function copy(path: string, kept: string): boolean {
  try {
    if (fs.lstatSync(path).isSymbolicLink()) {
      fs.symlinkSync(fs.readlinkSync(path), kept);
      return true;
    }
    fs.copyFileSync(path, kept, fs.constants.COPYFILE_EXCL);
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false;
    throw cause;
  }
  const fd = fs.openSync(kept, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return true;
}
