import fs from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { errnoOf } from '../../store/errno.ts';
import type { TaskId } from '../ids.ts';
import { type SessionPaths, taskIdOfFile } from '../layout.ts';
import { readTask, type Task } from './task.ts';

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
    const text = textOf(join(paths.tasks, name));
    if (text !== undefined) files.push(parseTaskFile(paths, name, text));
  }
  return files;
}

/** The tasks that can be read, and the names of the files that cannot. */
export function readTasks(paths: SessionPaths): {
  readonly tasks: readonly Task[];
  readonly unreadable: readonly string[];
} {
  const tasks = new Map<TaskId, Task>();
  const unreadable: string[] = [];
  for (const { named, task, name } of readTaskFiles(paths)) {
    if (task === undefined || task.id !== named) unreadable.push(name);
    else tasks.set(task.id, task);
  }
  return { tasks: [...tasks.values()], unreadable };
}

export function parseTaskFile(paths: SessionPaths, name: string, text: string): TaskFile {
  const base = { file: { path: `${paths.relative}/.task/${name}`, text }, name, named: taskIdOfFile(name) };
  let source: unknown;
  try {
    source = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return base;
  }
  if (!isJsonObject(source)) return base;
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
