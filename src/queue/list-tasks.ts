import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { sortByBytes } from '../store/glob.ts';
import { fileFailure, resolveInside } from '../store/safe-path.ts';
import { inboxOf, isTaskName, type Queue, TAKEN, type Task } from './queue.ts';
import { sortsByTime } from './task-name.ts';

/** The agents that have a queue, sorted by name. */
export function listAgents(queue: Queue): Result<readonly string[], Failure> {
  const entries = entriesOf(queue, queue.inboxDir);
  if (entries.type === 'error') return entries;
  const names = entries.value.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return ok(names.map((entry) => entry.name).sort());
}

/** The waiting tasks of an agent, oldest first. */
export function listTasks(queue: Queue, agent: string): Result<readonly Task[], Failure> {
  const inbox = inboxOf(queue, agent);
  return inbox.type === 'error' ? inbox : tasksIn(queue, agent, inbox.value);
}

/** Claimed tasks that have neither finished nor failed, in the order of claiming: a worker is on them, or died. */
export function listTaken(queue: Queue, agent: string): Result<readonly Task[], Failure> {
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const taken = `${inbox.value}/${TAKEN}`;
  const claims = entriesOf(queue, taken);
  if (claims.type === 'error') return claims;
  const tasks: Task[] = [];
  for (const claim of claims.value
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()) {
    const held = tasksIn(queue, agent, `${taken}/${claim}`);
    if (held.type === 'error') return held;
    for (const task of held.value) tasks.push(task);
  }
  return ok(tasks);
}

function tasksIn(queue: Queue, agent: string, folder: string): Result<readonly Task[], Failure> {
  const entries = entriesOf(queue, folder);
  if (entries.type === 'error') return entries;
  const names = entries.value
    .filter((entry) => entry.isFile() && isTaskName(queue, entry.name))
    .map((entry) => entry.name);
  const sorted = oldestFirst(join(queue.workspace, folder), names);
  return ok(sorted.map((name) => ({ agent, name, path: `${folder}/${name}` })));
}

/** Empty if the folder does not exist. */
function entriesOf(queue: Queue, relative: string): Result<readonly fs.Dirent[], Failure> {
  const folder = resolveInside(queue.workspace, relative);
  if (folder.type === 'error') return folder;
  try {
    return ok(fs.readdirSync(folder.value, { withFileTypes: true }));
  } catch (cause) {
    return errnoOf(cause) === 'ENOENT' ? ok([]) : error(fileFailure('list', relative, cause));
  }
}

/** Names created by this program sort by time; if there are others, the modification time decides. */
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
