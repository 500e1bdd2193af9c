/**
 * Folders as queues between agents.
 *
 *   inbox/<agent>/<name>.tmp                    being written
 *   inbox/<agent>/<name>.task                   waiting
 *   inbox/<agent>/.taken/<claim>/<name>.task    taken by one worker
 *   processed/<stamp>/<name>.task               done
 *   failed/<stamp>/<name>.task                  failed, not retried
 *
 * Q1 A task is only visible once complete: it is written and synced under another name.
 * Q2 Only one worker can claim a task: claiming renames it into a folder of that claim, so it fails for all others and never
 *    overwrites an earlier task of the same name.
 * Q3 No move overwrites a file.
 */
import type { Failure } from '../model/failure.ts';
import { isSafeName } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { checkRelativePath } from '../store/safe-path.ts';

/** The folders of a workspace's queues, relative to the workspace. */
export interface Queue {
  readonly workspace: string;
  readonly inboxDir: string;
  readonly processedDir: string;
  readonly failedDir: string;
  /** With the leading dot. */
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

/** `inbox/<agent>`, if the settings and the name are valid. */
export function inboxOf(queue: Queue, agent: string): Result<string, Failure> {
  if (!isSafeName(agent))
    return refused(agent, 'is not an agent name; use only letters, digits, `_`, `.` and `-`');
  const { extension } = queue;
  if (!/^(?:\.[A-Za-z0-9_-]+)+$/.test(extension) || extension.endsWith(UNFINISHED)) {
    return refused(extension, `is not a task extension; use a dot and letters, other than \`${UNFINISHED}\``);
  }
  const inbox = checkRelativePath(queue.inboxDir);
  return inbox.type === 'error' ? inbox : ok(`${inbox.value}/${agent}`);
}

/** Any ordinary file name, but not a hidden one or one that looks like an option. */
export function isTaskName(queue: Queue, name: string): boolean {
  return (
    name.endsWith(queue.extension) &&
    name.length > queue.extension.length &&
    !/^[.-]|[\u0000-\u001f]/.test(name)
  );
}

/** An error for an invalid name, extension or path. */
export function refused(given: string, reason: string): Result<never, Failure> {
  return error({ type: 'unusable-values', reasons: [`\`${given}\` ${reason}`] });
}
