/** The possible results of a power loss at one moment (M1–M4). */
import { createHash } from 'node:crypto';
import type { Random } from '../random.ts';
import { type Disk, type FileLeft, SECTOR, type Survival } from './disk.ts';

export interface Loss {
  readonly id: string;
  survival(disk: Disk, at: number, random: Random): Survival;
}

const NONE: Loss = {
  id: 'nothing',
  survival: () => ({ names: () => false, contents: (synced) => synced }),
};

/** Names without contents: a new file that is empty, or has its full length but only zeros. */
const NAMES: Loss = {
  id: 'names',
  survival: () => ({ names: () => true, contents: (synced) => synced }),
};

const ZEROS: Loss = {
  id: 'zeros',
  survival: () => ({ names: () => true, contents: zerosFor }),
};

const BYTES: Loss = {
  id: 'bytes',
  survival: () => ({ names: () => false, contents: (_synced, written) => written }),
};

/** Keeps no unsynced names, and none or all of the bytes. */
export const KEEPS_LEAST: ReadonlySet<string> = new Set([NONE.id, BYTES.id]);

const MIXED: readonly Loss[] = ['a', 'b', 'c'].map((name) => ({ id: `mixed-${name}`, survival: mixed }));

/** The first `count` of the name changes, then of the files, survive. */
function beginning(names: number, files: number): Loss {
  return {
    id: `first-${names}-${files}`,
    survival: () => ({
      names: (index) => index < names,
      contents: (synced, written, index) => (index < files ? written : synced),
    }),
  };
}

/** All losses worth trying at a moment; `fingerprint` removes equivalent ones. */
export function lossesAt(disk: Disk, at: number): readonly Loss[] {
  const { names, files } = disk.unsure(at);
  if (names + files === 0) return [NONE];
  const beginnings: Loss[] = [];
  for (let count = 1; count <= names; count += 1) beginnings.push(beginning(count, files));
  for (let count = 0; count < files; count += 1) beginnings.push(beginning(names, count));
  return [NONE, NAMES, ZEROS, BYTES, ...MIXED, ...beginnings];
}

/** Files that are only for users, and files without their final name: only their existence counts. */
const UNREAD = /\/logs\/|\/\.[^/]+\.~[^/]+\.tmp$/;

/** Disks with the same fingerprint are equivalent for a resume. */
export function fingerprint(left: readonly FileLeft[]): string {
  const hash = createHash('sha256');
  for (const { path, contents } of left) {
    hash.update(`${path}\0`);
    if (UNREAD.test(path)) continue;
    hash.update(Buffer.isBuffer(contents) ? contents : JSON.stringify(contents));
    hash.update('\0');
  }
  return hash.digest('base64');
}

function zerosFor(synced: Buffer, written: Buffer): Buffer {
  if (written.length <= synced.length) return synced;
  return Buffer.concat([synced, Buffer.alloc(written.length - synced.length)]);
}

function mixed(disk: Disk, at: number, random: Random): Survival {
  const lost = new Set<unknown>();
  const folders = disk.unsureFolders(at);
  return {
    names(index) {
      const touched = folders[index] ?? [];
      const isThere = !touched.some((folder) => lost.has(folder)) && random.next() < 0.8;
      if (!isThere) for (const folder of touched) lost.add(folder);
      return isThere;
    },
    contents: (synced, written) => mixedContents(synced, written, random),
  };
}

function mixedContents(synced: Buffer, written: Buffer, random: Random): Buffer {
  const way = random.next();
  if (way < 0.15) return synced;
  if (way < 0.3) return written;
  if (way < 0.4) return zerosFor(synced, written);
  if (way < 0.6 && written.length > synced.length)
    return written.subarray(0, random.integer(synced.length, written.length));
  const made = Buffer.from(zerosFor(synced, written).subarray(0, written.length));
  const whole = Buffer.alloc(written.length);
  made.copy(whole);
  for (let from = 0; from < written.length; from += SECTOR)
    if (random.next() < 0.5) written.copy(whole, from, from, Math.min(from + SECTOR, written.length));
  return whole;
}
