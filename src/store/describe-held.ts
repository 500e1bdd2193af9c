import type { Held } from './lock.ts';
import type { Doubt } from './process-life.ts';

/** The holder, for a sentence such as "… is being run by …". */
export function holderText({ owner, doubt, heartbeatAt }: Held): string {
  if (doubt === undefined) return `process ${owner.pid}`;
  return `process ${owner.pid} on ${owner.host}, last seen at ${heartbeatAt} (cannot tell whether it is still alive: ${DOUBTS[doubt]})`;
}

/** What the user can do if the program cannot be certain. */
export function holderHelp({ path, doubt }: Held): string | undefined {
  return doubt === undefined
    ? undefined
    : `if you are sure that this process has ended, remove \`${path}\` and try again`;
}

const DOUBTS: { readonly [doubt in Doubt]: string } = {
  'cannot-see':
    process.platform === 'linux' ? '`/proc` cannot be read here' : '`ps` and `sysctl` do not work here',
  unrecorded: 'it could not record its identity when it took the lock',
  hidden: 'processes of other users are hidden here',
  'other-space': 'it runs in another container or sandbox of this machine',
  'other-boot': 'it ran on another machine, or on this one before a restart',
};
