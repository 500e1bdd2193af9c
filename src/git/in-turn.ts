import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, type Result } from '../model/result.ts';
import { withLock } from '../store/lock.ts';
import { realPath } from '../store/own-path.ts';
import { fileFailure } from '../store/safe-path.ts';
import type { Repository } from './repository.ts';

const WAIT_MS = 10 * 60_000;

/**
 * Git does not support two worktree commands at once in one repository: each reads the records of all worktrees, and fails on one that is
 * just being written. And of two merges, the second must see the files of the first. So one at a time, of all runs.
 */
export async function inTurn<Value>(
  { commonDir }: Pick<Repository, 'commonDir'>,
  signal: AbortSignal,
  action: () => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure>> {
  const path = join(realPath(commonDir), 'orchestrate-worktrees.lock');
  let isLocked = false;
  try {
    const done = await withLock(path, { waitMs: WAIT_MS, signal }, () => {
      isLocked = true;
      return action();
    });
    return done.type === 'ok' ? done.value : error({ type: 'file', operation: 'lock', path, code: 'EBUSY' });
  } catch (cause) {
    signal.throwIfAborted();
    return error(
      isLocked ? fileFailure('use', fileOf(cause) ?? commonDir, cause) : fileFailure('lock', path, cause),
    );
  }
}

/** The file that the system names in an error. */
function fileOf(cause: unknown): string | undefined {
  const { path } = cause as { readonly path?: unknown };
  return typeof path === 'string' ? path : undefined;
}
