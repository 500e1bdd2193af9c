import fs from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { isSafeName } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { moveIntoFolder } from '../store/move-into-folder.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import { removeIfEmpty } from '../store/remove-file.ts';
import { checkRelativePath, fileFailure } from '../store/safe-path.ts';
import { isTaskName, type Queue, refused, TAKEN } from './queue.ts';

/** Moves a task to `processed/<stamp>/`; returns its new path, relative to the workspace. `task` is the path of a task, claimed or not. */
export function doneTask(queue: Queue, task: string, stamp: string): Result<string, Failure> {
  return finish(queue, task, `${queue.processedDir}/${stamp}`);
}

/** Moves a failed task, which is not retried, to `failed/<stamp>/`. */
export function failTask(queue: Queue, task: string, stamp: string): Result<string, Failure> {
  return finish(queue, task, `${queue.failedDir}/${stamp}`);
}

function finish(queue: Queue, task: string, into: string): Result<string, Failure> {
  if (!isSafeName(basename(into))) return refused(into, 'is not a valid folder for finished tasks');
  const checked = checkRelativePath(task);
  if (checked.type === 'error') return checked;
  const inbox = checkRelativePath(queue.inboxDir);
  if (inbox.type === 'error') return inbox;
  if (!checked.value.startsWith(`${inbox.value}/`) || !isTaskName(queue, basename(checked.value))) {
    return refused(task, `is not a task; expected \`${inbox.value}/<agent>/<name>${queue.extension}\``);
  }
  const standing = pinFolderInside(queue.workspace, dirname(checked.value), { operation: 'move' });
  if (standing.type === 'error') return standing;
  const folder = pinFolderInside(queue.workspace, into, { operation: 'move', makeFolders: true });
  if (folder.type === 'error') {
    standing.value.close();
    return folder;
  }
  try {
    const to = moveIntoFolder(join(standing.value.path, basename(checked.value)), folder.value.path);
    if (basename(dirname(standing.value.real)) === TAKEN) removeIfEmpty(standing.value.real);
    const moved = join(folder.value.real, basename(to));
    return ok(relative(fs.realpathSync(queue.workspace), moved).replaceAll(sep, '/'));
  } catch (cause) {
    return error(fileFailure('move', task, cause));
  } finally {
    standing.value.close();
    folder.value.close();
  }
}
