import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import { removeIfEmpty } from '../store/remove-file.ts';
import { fileFailure } from '../store/safe-path.ts';
import { listTasks } from './list-tasks.ts';
import { inboxOf, type Queue, TAKEN, type Task } from './queue.ts';
import { createTaskName } from './task-name.ts';

/** Claims the oldest task; `undefined` if none is waiting. Its `path` is the new location. */
export function takeTask(queue: Queue, agent: string): Result<Task | undefined, Failure> {
  const waiting = listTasks(queue, agent);
  if (waiting.type === 'error' || waiting.value.length === 0)
    return waiting.type === 'error' ? waiting : ok(undefined);
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const claim = `${inbox.value}/${TAKEN}/${createTaskName()}`;
  const folder = pinFolderInside(queue.workspace, claim, { operation: 'take', makeFolders: true });
  if (folder.type === 'error') return folder;
  // Parents of the open folder itself, not of a path to it.
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
