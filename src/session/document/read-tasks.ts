import fs from 'node:fs';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { errnoOf } from '../../store/errno.ts';
import type { TaskId } from '../ids.ts';
import { type SessionPaths, taskIdOfFile } from '../layout.ts';
import { readDetails, readTask, type Task, type TaskDetails, type TaskOutline } from './task.ts';
import { type IndexEntry, indexedDetails, loadTaskIndex, type TaskIndex } from './task-index.ts';

/** One file of `.task`, as it is. */
export interface TaskFile {
  /** The path is workspace-relative. */
  readonly file: SourceFile;
  readonly name: string;
  /** What the file's name says. */
  readonly named: TaskId | undefined;
  /** Absent: the text is not JSON, or not an object. */
  readonly source?: JsonObject;
  /** Absent where the document has no usable id. */
  readonly task?: Task;
}

/** Every JSON file of `.task`. Files that vanish meanwhile are left out. */
export function readTaskFiles(paths: SessionPaths): readonly TaskFile[] {
  const files: TaskFile[] = [];
  for (const name of namesIn(paths.tasks)) {
    const text = textOf(`${paths.tasks}/${name}`);
    if (text !== undefined) files.push(parseTaskFile(paths, name, text));
  }
  return files;
}

/** The tasks that can be read. */
export function readTasks(paths: SessionPaths): readonly Task[] {
  return readEach(paths, readTask);
}

/** As much of every task as lists, graphs and views need. What has not changed since the index was written comes from there. */
export function readAllDetails(paths: SessionPaths): readonly TaskDetails[] {
  return readIndexed(paths).tasks;
}

export interface IndexedTasks {
  readonly tasks: readonly TaskDetails[];
  readonly index: TaskIndex;
  /** To be kept for the next time. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** No task has come, gone or changed since the index was written. */
  readonly isCurrent: boolean;
}

export function readIndexed(paths: SessionPaths): IndexedTasks {
  const index = loadTaskIndex(paths);
  const entries = new Map<string, IndexEntry>();
  let found = 0;
  for (const name of namesIn(paths.tasks)) {
    const path = `${paths.tasks}/${name}`;
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const known = indexedDetails(index, name, stat);
    if (known !== undefined) found += 1;
    const text = known === undefined ? textOf(path) : undefined;
    const source = text === undefined ? undefined : parseSource(text);
    const details = known ?? (source === undefined ? undefined : readDetails(source));
    if (details !== undefined && `${details.id}.json` === name)
      entries.set(name, [stat.ino, stat.size, stat.ctimeMs, details]);
  }
  const isCurrent = found > 0 && found === entries.size && found === Object.keys(index.entries).length;
  return { tasks: [...entries.values()].map((entry) => entry[3]), index, entries, isCurrent };
}

/** A document that is not that of the task its file is named after is left out. */
function readEach<T extends TaskOutline>(
  paths: SessionPaths,
  read: (source: JsonObject) => T | undefined,
): readonly T[] {
  const tasks: T[] = [];
  for (const [name, source] of sourcesIn(paths)) {
    const task = source === undefined ? undefined : read(source);
    if (task !== undefined && `${task.id}.json` === name) tasks.push(task);
  }
  return tasks;
}

function* sourcesIn(paths: SessionPaths): Generator<readonly [string, JsonObject | undefined]> {
  for (const name of namesIn(paths.tasks)) {
    const text = textOf(`${paths.tasks}/${name}`);
    if (text !== undefined) yield [name, parseSource(text)];
  }
}

function parseSource(text: string): JsonObject | undefined {
  try {
    const source: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    return isJsonObject(source) ? source : undefined;
  } catch {
    return undefined;
  }
}

export function parseTaskFile(paths: SessionPaths, name: string, text: string): TaskFile {
  const base = { file: { path: `${paths.relative}/.task/${name}`, text }, name, named: taskIdOfFile(name) };
  const source = parseSource(text);
  if (source === undefined) return base;
  const task = readTask(source);
  return { ...base, source, ...(task === undefined ? {} : { task }) };
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

function textOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
