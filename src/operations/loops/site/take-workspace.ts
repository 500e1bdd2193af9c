/** Allows only one running loop per workspace. */
import { error, type Result } from '../../../model/result.ts';
import { acquireLock, HEARTBEAT_MS, type Held, type Lock } from '../../../store/lock.ts';
import type { Problem } from '../../problem.ts';

interface Taken {
  readonly name: string;
  readonly paths: { readonly lock: string };
}

/** `run`: see `LockOptions`. */
export function takeWorkspace({ name, paths }: Taken, run?: string): Result<Lock, Problem> {
  const taken = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS, run });
  return taken.type === 'ok' ? taken : error(heldProblem(name, taken.error));
}

function heldProblem(name: string, held: Held): Problem {
  return { type: 'loop-held', name, held };
}
