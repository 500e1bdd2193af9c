/**
 * A cache of the task outlines of a large session, stored beside the tasks, so that only changed files are read
 * again. Measured with 2,000 tasks: checking the times of all files and reading the index takes a third of the time of parsing them.
 *
 * X1 It is only a cache. If it is missing or unreadable, everything is read from the tasks, which are the truth.
 * X2 An entry is valid while the file's inode, size and change time are the same. Entries are made only for files unchanged for two
 *    seconds before they were read, by the clock of the same file system, so any later change is detected.
 * X3 It is written only with the session's lock held and only when all views are up to date; readers write nothing.
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

/** Version of the index format and of the views. */
const VERSION = 7;
const RACY_MS = 2000;
/** For fewer tasks, reading the files is just as fast. */
const FEWEST = 200;

/** Inode, size, change time. */
type Stamp = readonly [number, number, number];

/** A list, because parsing an object with thousands of names takes five times as long. */
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
  /** Keyed by the name of the task's file. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Views that were up to date, keyed by their names in the session's folder. */
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

/** No task or view has been added, removed or changed since the index was written. */
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

/** X3. A failed write only makes the next read slower. */
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
      // The first member identifies an index.
      version: VERSION,
      inLine: namesInLine.map((name, at) => [name, stamps[at]]),
      tasks: tasks.map((task, at) => entryOf(task, stamps[inLine.length + at] ?? NO_FILE)),
    };
    replaceFile(paths.index, JSON.stringify(index), { mode: 0o644, mayBeLost: true });
  } catch {
    // X1
  }
}

/** True also if there is none or it is empty. Any other file was not written by this program. */
function isOwn(path: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return true;
  return stat.isFile() && readPlainText(path).startsWith('{"version":');
}

/** X2: undefined if one of them is too recent. Reading started after the lock was taken, and the lock is beside them. */
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
