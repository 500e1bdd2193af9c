import { acquireLock, type Lock } from '../../../store/lock.ts';
import { type FoundWorkspace, type IterateSite, refuse } from './site.ts';

/** One loop a workspace. */
export function takeWorkspace(site: IterateSite, { name, paths }: FoundWorkspace): Lock | undefined {
  const taken = acquireLock(paths.lock);
  if (taken.type === 'ok') return taken.value;
  const { owner, sameHost } = taken.error;
  const where = sameHost ? '' : ` on ${owner.host}`;
  return refuse(
    site.context,
    `Workspace is already running: ${name} (process ${owner.pid}${where})`,
    `claude-iterate stop ${name} ends it after its iteration`,
  );
}
