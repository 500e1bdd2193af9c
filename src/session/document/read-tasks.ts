import fs from 'node:fs';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { readOfMany } from '../../store/many-files.ts';
import { namesIn } from '../../store/names-in.ts';
import { mustBePlainFolder } from '../../store/plain-folder.ts';
import type { TaskId } from '../ids.ts';
import { addingFolder, type SessionPaths, taskFileName, taskIdOfFile } from '../layout.ts';
import { withId } from './named-task.ts';
import { readDetails, readOutline, readTask, type Task, type TaskDetails, type TaskOutline } from './task.ts';
import { indexedOutline, isAllInLine, loadTaskIndex, type TaskIndex } from './task-index.ts';

/** One file of `.task`. */
export interface TaskFile {
  /** Workspace-relative. */
  readonly file: SourceFile;
  readonly name: string;
  /** The id in the file's name. */
  readonly named: TaskId | undefined;
  /** Absent: the text is not JSON, or not an object. */
  readonly source?: JsonObject;
  /** Absent if the document has no usable id. */
  readonly task?: Task;
}

/** Every JSON file of `.task`. Files removed meanwhile are omitted. */
export function readTaskFiles(paths: SessionPaths): readonly TaskFile[] {
  const files: TaskFile[] = [];
  for (const name of namesOf(paths)) {
    const text = taskText(paths, name);
    if (text !== undefined) files.push(parseTaskFile(paths, name, text));
  }
  return files;
}

/** All readable tasks, with all fields. */
export function readTasks(paths: SessionPaths): readonly Task[] {
  return readEach(paths, readTask);
}

export interface Outlines {
  readonly outlines: readonly TaskOutline[];
  /** Names of files that contain no task, or none that can have this name. */
  readonly stray: readonly string[];
}

/** The outline of every task, for lists and graphs. Unchanged tasks come from the index. */
export function readOutlines(paths: SessionPaths): Outlines {
  const index = loadTaskIndex(paths);
  const outlines: TaskOutline[] = [];
  const stray: string[] = [];
  for (const name of namesOf(paths)) {
    const outline = indexed(index, paths, name) ?? readAs(readOutline, paths, name);
    if (outline !== undefined) outlines.push(outline);
    else if (taskText(paths, name) !== undefined) stray.push(name);
  }
  return { outlines, stray };
}

function indexed(index: TaskIndex | undefined, paths: SessionPaths, name: string): TaskOutline | undefined {
  if (index === undefined) return undefined;
  const stat = fs.statSync(`${paths.tasks}/${name}`, { throwIfNoEntry: false });
  return stat === undefined ? undefined : indexedOutline(index, name, stat);
}

/** What views need of every task. `found`: the names in `.task`, if the caller has just listed them. */
export function readAllDetails(paths: SessionPaths, found?: readonly string[]): readonly TaskDetails[] {
  return readEach(paths, readDetails, found);
}

/** The names of all files of tasks. */
export function taskNames(paths: SessionPaths): readonly string[] {
  return namesOf(paths);
}

export function parseTaskNamed(paths: SessionPaths, name: string): Task | undefined {
  return readAs(readTask, paths, name);
}

/** Whether the index alone proves that all views are up to date. */
export function isInLine(paths: SessionPaths): boolean {
  const index = loadTaskIndex(paths);
  return index !== undefined && isAllInLine(paths, namesOf(paths), index);
}

function readEach<T extends TaskOutline>(
  paths: SessionPaths,
  read: Reading<T>,
  found?: readonly string[],
): readonly T[] {
  const tasks: T[] = [];
  for (const name of namesOf(paths, found)) {
    const task = readAs(read, paths, name);
    if (task !== undefined) tasks.push(task);
  }
  return tasks;
}

type Reading<T> = (source: JsonObject) => T | undefined;

/** Omits a document whose id differs from its file name. */
function readAs<T extends TaskOutline>(read: Reading<T>, paths: SessionPaths, name: string): T | undefined {
  const text = taskText(paths, name);
  const source = text === undefined ? undefined : parseSource(text);
  const task = source === undefined ? undefined : read(withId(source, name));
  return task !== undefined && taskFileName(task.id) === name ? task : undefined;
}

function parseSource(text: string): JsonObject | undefined {
  try {
    const source: unknown = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    return isJsonObject(source) ? source : undefined;
  } catch {
    return undefined;
  }
}

function parseTaskFile(paths: SessionPaths, name: string, text: string): TaskFile {
  const base = { file: { path: `${paths.relative}/.task/${name}`, text }, name, named: taskIdOfFile(name) };
  const source = parseSource(text);
  if (source === undefined) return base;
  const task = readTask(withId(source, name));
  return { ...base, source, ...defined({ task }) };
}

/** Includes tasks in `.adding`. Those are read first: a task moved meanwhile is then found in its place. */
function namesOf(paths: SessionPaths, found?: readonly string[]): readonly string[] {
  const coming = documentsIn(namesIn(addingFolder(paths)));
  const there = documentsIn(found ?? namesIn(paths.tasks));
  // Each file is opened without following links, so their folder is checked only once.
  if (there.length > 0) mustBePlainFolder(paths.tasks);
  return coming.length === 0 ? there : [...new Set([...there, ...coming])];
}

function taskText(paths: SessionPaths, name: string): string | undefined {
  const place = `${paths.tasks}/${name}`;
  return readOfMany(place) ?? readOfMany(`${addingFolder(paths)}/${name}`) ?? readOfMany(place);
}

function documentsIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.'));
}
