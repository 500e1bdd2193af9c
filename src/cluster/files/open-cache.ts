/** The folder of a worker that gets files from a hub: a repository and checkouts, which can be removed whenever no worker uses them. */
import { join } from 'node:path';
import type { Git } from '../../git/git.ts';
import { type Clone, openClone } from '../../git/hub/clone.ts';
import { createGit } from '../../git/run-git.ts';
import type { Failure } from '../../model/failure.ts';
import { ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { runProcess } from '../../process/run-process.ts';
import { acquireLock, HEARTBEAT_MS, type Held } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { userCacheFolder } from '../../store/user-folder.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface WorkerCache {
  readonly clone: Clone;
  close(): void;
}

/** How long the hub may be out of reach before what needs it fails. */
const PATIENCE_MS = 10 * 60_000;

/** `name`: the worker's, which only one process of a machine has at a time. `mark`: by which its processes are found. */
export async function openCache(
  hub: string,
  given: {
    readonly name: string;
    readonly mark: string;
    readonly environment: Environment;
    readonly signal: AbortSignal;
  },
): Promise<Result<WorkerCache, Failure | Held>> {
  const { environment, mark, signal } = given;
  const folder = cacheOf(hub, environment, given.name);
  makeFolder(folder, 0o700);
  const lock = acquireLock(join(folder, 'lock'), { heartbeatMs: HEARTBEAT_MS });
  if (lock.type === 'error') return lock;
  const gitIn = gitOf(environment, mark);
  const clone = await openClone({ address: hub, folder, gitIn });
  if (clone.type === 'error') {
    lock.value.release();
    return clone;
  }
  return ok({
    clone: { ...clone.value, patience: { ms: PATIENCE_MS, signal } },
    close: () => lock.value.release(),
  });
}

/** Absolute: where this machine keeps what it has of a hub. */
export function cacheOf(hub: string, environment: Environment, name: string): string {
  return join(userCacheFolder(environment), 'hubs', sha256(hub).slice(0, 16), name);
}

function gitOf(environment: Environment, mark: string): (folder: string) => Git {
  const marks = { runId: '', runMark: mark, key: 'git' };
  const { signal } = new AbortController();
  return (cwd) => createGit({ run: runProcess, cwd, environment, marks, signal });
}
