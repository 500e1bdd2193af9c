import { holderHelp, holderText } from '../../../store/describe-held.ts';
import { acquireLock, HEARTBEAT_MS, type Lock } from '../../../store/lock.ts';
import { type FoundWorkspace, type IterateSite, refuse } from './site.ts';

/** One loop a workspace. */
export function takeWorkspace(site: IterateSite, { name, paths }: FoundWorkspace): Lock | undefined {
  const taken = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
  if (taken.type === 'ok') return taken.value;
  return refuse(
    site.context,
    `Workspace is already running: ${name} (${holderText(taken.error)})`,
    holderHelp(taken.error) ?? `claude-iterate stop ${name} ends it after its iteration`,
  );
}
