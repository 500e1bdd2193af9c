/**
 * What lists and graphs need of each task of a large session, kept beside the tasks, so that looking at it again reads only what has changed
 * since. Measured with 2,000 tasks: looking at the times of all files and reading the index costs a third of reading and parsing them.
 *
 * X1 It is a cache. Without it, or with one that cannot be read, everything is read from the tasks; they alone are the truth.
 * X2 An entry counts while inode, size and time of change of the file are the same. It is made only of files that had not been changed for two
 *    seconds when their reading began, by the clock of the same file system: any change since then shows.
 * X3 It is written only with the session's lock held, and only when everything was found in line; reading writes nothing.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../model/json.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { removeFile } from '../../store/remove-file.ts';
import type { TaskId } from '../ids.ts';
import { type SessionPaths, taskFile, taskFileName } from '../layout.ts';
import { type Execution, NEVER_EXECUTED, type TaskOutline, type TaskStatus } from './task.ts';

/** Of the form, and of what the views look like. */
const VERSION = 3;
const RACY_MS = 2000;
/** Of fewer tasks the files themselves are read as fast. */
const FEWEST = 200;

/** Inode, size, time of change. */
type Stamp = readonly [number, number, number];

/** A list and not an object: of thousands of names, the parser takes five times as long to make an object. */
type Entry = readonly [
  ...stamp: Stamp,
  id: TaskId,
  title: string,
  status: TaskStatus,
  type: string,
  agent: string,
  parent: TaskId | '',
  dependsOn: string,
  execution: Execution | null,
  hasSummary: boolean,
];

export interface TaskIndex {
  /** By the name of the task's file. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Files that were in line with the tasks, by their names in the session's folder. */
  readonly inLine: ReadonlyMap<string, Stamp>;
}

export function loadTaskIndex({ index }: SessionPaths): TaskIndex | undefined {
  try {
    const value: unknown = parseJson(readPlainText(index));
    if (!isJsonObject(value) || value['version'] !== VERSION) return undefined;
    const { tasks, inLine } = value as unknown as {
      readonly tasks: readonly Entry[];
      readonly inLine: readonly (readonly [string, Stamp])[];
    };
    return {
      entries: new Map(tasks.map((entry) => [taskFileName(entry[3]), entry])),
      inLine: new Map(inLine),
    };
  } catch {
    return undefined;
  }
}

/** X2 */
export function indexedOutline(index: TaskIndex, name: string, stat: fs.Stats): TaskOutline | undefined {
  const entry = index.entries.get(name);
  return entry !== undefined && isSame(entry, stat) ? outlineOf(entry) : undefined;
}

/** No task has come, gone or changed since the index was written, and no file that follows from the tasks either. */
export function isAllInLine(paths: SessionPaths, names: readonly string[], index: TaskIndex): boolean {
  return (
    names.length === index.entries.size &&
    names.every((name) => isSameFile(index.entries.get(name), `${paths.tasks}/${name}`)) &&
    [...index.inLine].every(([name, stamp]) => isSameFile(stamp, join(paths.folder, name)))
  );
}

function isSameFile(stamp: Stamp | Entry | undefined, path: string): boolean {
  if (stamp === undefined) return false;
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? stamp[0] === NO_FILE[0] : isSame(stamp, stat);
}

function isSame([ino, size, changedAt]: Stamp | Entry, stat: fs.Stats): boolean {
  return ino === stat.ino && size === stat.size && changedAt === stat.ctimeMs;
}

function outlineOf(entry: Entry): TaskOutline {
  const [, , , id, title, status, type, agent, parent, dependsOn, execution, hasSummary] = entry;
  return {
    id,
    title,
    status,
    type,
    agent,
    parent: parent === '' ? undefined : parent,
    dependsOn: dependsOn === '' ? [] : (dependsOn.split(' ') as TaskId[]),
    execution: execution ?? NEVER_EXECUTED,
    hasSummary,
  };
}

const NO_FILE: Stamp = [0, 0, 0];

/** X3. A disk that refuses it makes the next look slower, and nothing else. */
export function saveTaskIndex(
  paths: SessionPaths,
  tasks: readonly TaskOutline[],
  namesInLine: readonly string[],
): void {
  try {
    if (!isOwn(paths.index)) return;
    if (tasks.length < FEWEST) {
      removeFile(paths.index);
      return;
    }
    const inLine = namesInLine.map((name) => join(paths.folder, name));
    const stamps = oldStamps(paths, [...inLine, ...tasks.map(({ id }) => taskFile(paths, id))]);
    if (stamps === undefined) return;
    const index = {
      // The first member, by which an index is known.
      version: VERSION,
      inLine: namesInLine.map((name, at) => [name, stamps[at]]),
      tasks: tasks.map((task, at) => entryOf(task, stamps[inLine.length + at] ?? NO_FILE)),
    };
    replaceFile(paths.index, JSON.stringify(index), { mode: 0o644, mayBeLost: true });
  } catch {
    // X1
  }
}

/** Also where there is none, or an empty one. What else stands there is somebody's. */
function isOwn(path: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return true;
  return stat.isFile() && readPlainText(path).startsWith('{"version":');
}

/** X2: nothing where one of them is too young. Reading began after the lock was taken, and the lock lies beside them. */
function oldStamps(paths: SessionPaths, files: readonly string[]): readonly Stamp[] | undefined {
  const youngest = fs.statSync(paths.lock).ctimeMs - RACY_MS;
  const stamps: Stamp[] = [];
  for (const file of files) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && stat.ctimeMs >= youngest) return undefined;
    stamps.push(stat === undefined ? NO_FILE : [stat.ino, stat.size, stat.ctimeMs]);
  }
  return stamps;
}

function entryOf(task: TaskOutline, stamp: Stamp): Entry {
  const { id, title, status, type, agent, parent = '', dependsOn, execution, hasSummary } = task;
  const executed = execution === NEVER_EXECUTED ? null : execution;
  return [...stamp, id, title, status, type, agent, parent, dependsOn.join(' '), executed, hasSummary];
}
