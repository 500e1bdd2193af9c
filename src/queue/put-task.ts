import fs from 'node:fs';
import { join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import { fileFailure } from '../store/safe-path.ts';
import { writeWhole } from '../store/write-whole.ts';
import { inboxOf, type Queue, type Task, UNFINISHED } from './queue.ts';
import { createTaskName } from './task-name.ts';

/** Adds a task to the end of the agent's queue. On return it is on disk. */
export function putTask(queue: Queue, agent: string, contents: string | Uint8Array): Result<Task, Failure> {
  const inbox = inboxOf(queue, agent);
  if (inbox.type === 'error') return inbox;
  const folder = pinFolderInside(queue.workspace, inbox.value, { operation: 'write', makeFolders: true });
  if (folder.type === 'error') return folder;
  const stem = createTaskName();
  const name = `${stem}${queue.extension}`;
  const unfinished = join(folder.value.path, `${stem}${UNFINISHED}`);
  try {
    const fd = fs.openSync(unfinished, 'wx', 0o644);
    try {
      writeWhole(fd, typeof contents === 'string' ? Buffer.from(contents) : contents);
      fs.fsyncSync(fd);
    } finally {
      closeFile(fd);
    }
    fs.renameSync(unfinished, join(folder.value.path, name));
    folder.value.sync();
    return ok({ agent, name, path: `${inbox.value}/${name}` });
  } catch (cause) {
    fs.rmSync(unfinished, { force: true });
    return error(fileFailure('write', `${inbox.value}/${name}`, cause));
  } finally {
    folder.value.close();
  }
}
