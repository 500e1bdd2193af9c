import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { fileFailure, makeFolderInside } from '../store/safe-path.ts';
import { syncFolder, writeWhole } from '../store/write-whole.ts';
import { inboxOf, type Queue, type Task, UNFINISHED } from './queue.ts';
import { createTaskName } from './task-name.ts';

/** Puts a task at the end of the agent's queue. When this returns, it is on the disk. */
export function putTask(queue: Queue, agent: string, contents: string | Uint8Array): Result<Task, Failure> {
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const folder = makeFolderInside(queue.workspace, inbox.value);
  if (folder.type === 'error') return folder;
  const stem = createTaskName();
  const name = `${stem}${queue.extension}`;
  const unfinished = join(folder.value, `${stem}${UNFINISHED}`);
  try {
    const fd = fs.openSync(unfinished, 'wx', 0o644);
    try {
      writeWhole(fd, typeof contents === 'string' ? Buffer.from(contents) : contents);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(unfinished, join(folder.value, name));
    syncFolder(folder.value);
    return ok({ agent, name, path: `${inbox.value}/${name}` });
  } catch (cause) {
    fs.rmSync(unfinished, { force: true });
    return error(fileFailure('write', `${inbox.value}/${name}`, cause));
  }
}
