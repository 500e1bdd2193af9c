import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { sortByBytes } from '../store/glob.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import { fileFailure, resolveInside } from '../store/safe-path.ts';
import { inboxOf, isTaskName, type Queue, TAKEN, type Task } from './queue.ts';
import { createTaskName, sortsByTime } from './task-name.ts';

/** The waiting tasks of an agent, oldest first. */
export function listTasks(queue: Queue, agent: string): Result<readonly Task[], Failure> {
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const folder = resolveInside(queue.workspace, inbox.value);
  if (folder.type === 'error') return folder;
  try {
    const names = fs
      .readdirSync(folder.value, { withFileTypes: true })
      .filter((entry) => entry.isFile() && isTaskName(queue, entry.name))
      .map((entry) => entry.name);
    return ok(
      oldestFirst(folder.value, names).map((name) => ({ agent, name, path: `${inbox.value}/${name}` })),
    );
  } catch (cause) {
    return errnoOf(cause) === 'ENOENT' ? ok([]) : error(fileFailure('list', inbox.value, cause));
  }
}

/** Claims the oldest task, or nothing when none waits. Its `path` is where it stands now. */
export function takeTask(queue: Queue, agent: string): Result<Task | undefined, Failure> {
  const waiting = listTasks(queue, agent);
  if (waiting.type === 'error' || waiting.value.length === 0)
    return waiting.type === 'error' ? waiting : ok(undefined);
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const claim = `${inbox.value}/${TAKEN}/${createTaskName()}`;
  const folder = pinFolderInside(queue.workspace, claim, { operation: 'take', makeFolders: true });
  if (folder.type === 'error') return folder;
  // The parents of the open folder itself, not of a path to it.
  const inboxFolder = `${folder.value.path}/../..`;
  try {
    for (const { name } of waiting.value) {
      try {
        fs.renameSync(`${inboxFolder}/${name}`, join(folder.value.path, name));
        return ok({ agent, name, path: `${claim}/${name}` });
      } catch (cause) {
        if (errnoOf(cause) !== 'ENOENT') return error(fileFailure('take', `${inbox.value}/${name}`, cause));
      }
    }
    return ok(undefined);
  } finally {
    folder.value.close();
    removeIfEmpty(folder.value.real);
  }
}

export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (cause) {
    errnoOf(cause);
  }
}

/** Names that this program gives sort by time; with any other among them the time of writing decides. */
function oldestFirst(folder: string, names: string[]): readonly string[] {
  const sorted = sortByBytes(names);
  if (sorted.every(sortsByTime)) return sorted;
  const writtenAt = (name: string): bigint =>
    fs.statSync(join(folder, name), { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
  return sorted
    .map((name) => ({ name, at: writtenAt(name) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ name }) => name);
}
