/** Allows only one running loop per workspace. */
import { error, type Result } from '../../../model/result.ts';
import { holderHelp, holderText } from '../../../store/describe-held.ts';
import { acquireLock, HEARTBEAT_MS, type Held, type Lock } from '../../../store/lock.ts';
import { type Refused, refused } from '../../problem.ts';

interface Taken {
  readonly name: string;
  readonly paths: { readonly lock: string };
}

export function takeWorkspace({ name, paths }: Taken): Result<Lock, Refused> {
  const taken = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
  return taken.type === 'ok' ? taken : error(heldProblem(name, taken.error));
}

function heldProblem(name: string, held: Held): Refused {
  return refused(
    'held',
    `Workspace is already running: ${name} (${holderText(held)})`,
    holderHelp(held) ?? `stop it after its current iteration: claude-iterate stop ${name}`,
  );
}
