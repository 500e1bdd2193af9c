/**
 * What was last read of each task's file, kept beside the tasks of a large session, so that looking at it again reads only what has changed
 * since. Measured with 2,000 tasks: looking at the times of all files costs a quarter of reading and parsing them.
 *
 * X1 It is a cache. Without it, or with one that cannot be read, everything is read from the tasks; they alone are the truth.
 * X2 An entry counts while inode, size and time of change of the file are the same. A file changed less than two seconds before the index was
 *    written, by the clock of the same file system, might change again without showing it, and is read again.
 * X3 It is written only with the session's lock held; reading writes nothing.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../model/json.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import type { SessionPaths } from '../layout.ts';
import type { TaskDetails } from './task.ts';

/** Of the form, and of what the views look like. */
const VERSION = 1;
const RACY_MS = 2000;
/** Of fewer tasks the files themselves are read as fast. */
const FEWEST = 200;

/** Inode, size, time of change, and what the file holds. */
export type IndexEntry = readonly [number, number, number, TaskDetails];

/** Inode, size and time of change. */
type Stamp = readonly [number, number, number];

export interface TaskIndex {
  readonly entries: { readonly [name: string]: IndexEntry };
  /** Of files that were in line with the tasks. */
  readonly inLine: { readonly [name: string]: Stamp };
  /** Later than this, a file may have changed unseen. */
  readonly trustedUntil: number;
}

const EMPTY: TaskIndex = { entries: {}, inLine: {}, trustedUntil: 0 };

export function loadTaskIndex(paths: SessionPaths): TaskIndex {
  try {
    const file = paths.index;
    const trustedUntil = fs.statSync(file).ctimeMs - RACY_MS;
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (!isJsonObject(value) || value['version'] !== VERSION || !isJsonObject(value['entries'])) return EMPTY;
    const inLine = isJsonObject(value['inLine']) ? value['inLine'] : {};
    return {
      entries: value['entries'] as unknown as TaskIndex['entries'],
      inLine: inLine as unknown as TaskIndex['inLine'],
      trustedUntil,
    };
  } catch {
    return EMPTY;
  }
}

/** X2 */
export function indexedDetails(index: TaskIndex, name: string, stat: fs.Stats): TaskDetails | undefined {
  const entry = Object.hasOwn(index.entries, name) ? index.entries[name] : undefined;
  return entry !== undefined && isSame(index, [entry[0], entry[1], entry[2]], stat) ? entry[3] : undefined;
}

/** None of these files, relative to the session's folder, has changed since they were in line with the tasks. */
export function areStillInLine(index: TaskIndex, folder: string, names: readonly string[]): boolean {
  return names.every((name) => {
    const stamp = index.inLine[name];
    const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
    return stamp !== undefined && stat !== undefined && isSame(index, stamp, stat);
  });
}

function isSame(index: TaskIndex, stamp: Stamp, stat: fs.Stats): boolean {
  const [ino, size, changedAt] = stamp;
  return (
    changedAt < index.trustedUntil && ino === stat.ino && size === stat.size && changedAt === stat.ctimeMs
  );
}

/** X3. A disk that refuses it makes the next look slower, and nothing else. */
export function saveTaskIndex(
  paths: SessionPaths,
  entries: ReadonlyMap<string, IndexEntry>,
  namesInLine: readonly string[],
): void {
  const file = paths.index;
  try {
    if (entries.size < FEWEST) {
      fs.rmSync(file, { force: true });
      return;
    }
    const inLine = namesInLine.map((name) => {
      const { ino, size, ctimeMs } = fs.statSync(join(paths.folder, name));
      return [name, [ino, size, ctimeMs]] as const;
    });
    const index = {
      version: VERSION,
      entries: Object.fromEntries(entries),
      inLine: Object.fromEntries(inLine),
    };
    const temporary = temporaryPath(file);
    fs.writeFileSync(temporary, JSON.stringify(index));
    fs.renameSync(temporary, file);
  } catch {
    // X1
  }
}
