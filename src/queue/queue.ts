/**
 * Folders as queues between agents.
 *
 *   inbox/<agent>/<name>.tmp                    being written
 *   inbox/<agent>/<name>.task                   waiting
 *   inbox/<agent>/.taken/<claim>/<name>.task    taken by one worker
 *   processed/<stamp>/<name>.task               done
 *   failed/<stamp>/<name>.task                  not to be tried again
 *
 * Q1 A task is seen only whole: it is written and synced under another name.
 * Q2 A task is taken by one: by a rename into a folder that belongs to one claim, so that it fails for all others and never
 *    overwrites a task of the same name that was taken before.
 * Q3 No move overwrites a file.
 */
import type { Failure } from '../model/failure.ts';
import { isSafeName } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { checkRelativePath } from '../store/safe-path.ts';

/** Where the queues of a workspace are. Folders are relative to it. */
export interface Queue {
  readonly workspace: string;
  readonly inboxDir: string;
  readonly processedDir: string;
  readonly failedDir: string;
  /** With its dot. */
  readonly extension: string;
}

export const QUEUE_DEFAULTS = {
  inboxDir: 'inbox',
  processedDir: 'processed',
  failedDir: 'failed',
  extension: '.task',
} as const satisfies Omit<Queue, 'workspace'>;

export interface Task {
  readonly agent: string;
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
}

export const TAKEN = '.taken';
export const UNFINISHED = '.tmp';

/** `inbox/<agent>`, where settings and name are fit for it. */
export function inboxOf(queue: Queue, agent: string): Result<string, Failure> {
  if (!isSafeName(agent))
    return refused(agent, 'is no name for an agent: letters, digits, `_`, `.` and `-` only');
  const { extension } = queue;
  if (!/^(?:\.[A-Za-z0-9_-]+)+$/.test(extension) || extension.endsWith(UNFINISHED)) {
    return refused(extension, `is no extension for tasks: a dot and letters, other than \`${UNFINISHED}\``);
  }
  const inbox = checkRelativePath(queue.inboxDir);
  return inbox.type === 'error' ? inbox : ok(`${inbox.value}/${agent}`);
}

/** Any name a person may give a file, but none that hides it or looks like an option. */
export function isTaskName(queue: Queue, name: string): boolean {
  return (
    name.endsWith(queue.extension) &&
    name.length > queue.extension.length &&
    !/^[.-]|[\u0000-\u001f]/.test(name)
  );
}

/** A name, extension or path that was given is none. */
export function refused(given: string, reason: string): Result<never, Failure> {
  return error({ type: 'unusable-values', reasons: [`\`${given}\` ${reason}`] });
}
