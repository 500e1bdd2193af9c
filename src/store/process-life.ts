/**
 * Whether a process that left its identity on the disk can still do anything. Whoever takes a living one for dead destroys its work, so:
 *
 * I1 Dead is what is certainly dead. What cannot be told is unknown, and counts as alive, however long ago it gave its last sign of life.
 * I2 A boot id names one kernel from its start to its end. Where it is the same, this is the same machine, whatever it is called by now.
 * I3 On the same boot and in the same pid space the pid decides. Dead: the kernel knows no such process, it has ended and only waits for
 *    its parent, or it started at another time. A start time that one of the two could not read decides nothing.
 * I4 In another pid space (a container, a sandbox) the pid means another process: unknown.
 * I5 With another boot id it was this machine before a restart, or it is another machine. A host name cannot tell the two apart, and a machine id
 *    alone cannot either: it is copied with the image of a machine. It is dead when all of this holds:
 *      a. the pid space has the same name, and no process here has its pid and its start time: some containers are given a
 *         boot id of their own, while the kernel is the same;
 *      b. the machine ids are the same; or neither system has one, and the last sign of life is older than this boot;
 *      c. it saw the folder on a local disk and so do we, and such a disk is mounted by one running system at a time.
 *    The machine id of macOS is that of the hardware: there, a and b suffice, and an id is needed.
 * I6 Who cannot tell its own boot or pid space knows of nobody that they are dead; and of who could not, nobody does.
 */
import { unreachable } from '../model/unreachable.ts';
import { isOnLocalDisk } from './local-disk.ts';
import { lookAt, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export type Life =
  | { readonly type: 'alive' }
  | { readonly type: 'dead' }
  | { readonly type: 'unknown'; readonly why: Doubt };

/** Why it cannot be told whether a process lives. */
export type Doubt = 'cannot-see' | 'did-not-tell' | 'hidden' | 'other-space' | 'other-boot';

/** What an identity was left in. */
export interface Trace {
  readonly folder: string;
  /** As its process saw the folder. */
  readonly disk?: 'local';
  /** In ms. */
  readonly lastSignAt: number;
}

const ALIVE: Life = { type: 'alive' };
const DEAD: Life = { type: 'dead' };

export function lifeOf(identity: ProcessIdentity, trace: Trace): Life {
  const own = ownIdentity();
  // I6
  if (own.bootId === '' || own.pidSpace === undefined) return unknown('cannot-see');
  if (identity.bootId === '' || identity.pidSpace === undefined) return unknown('did-not-tell');
  const isThisBoot = identity.bootId === own.bootId;
  // I4
  if (identity.pidSpace !== own.pidSpace) return unknown(isThisBoot ? 'other-space' : 'other-boot');
  const here = lifeHere(identity);
  // I2, I3
  if (isThisBoot || here.type !== 'dead') return here;
  return isFromBeforeRestart(identity, trace) ? DEAD : unknown('other-boot');
}

/** I3 */
function lifeHere({ pid, startTime }: ProcessIdentity): Life {
  const seen = lookAt(pid);
  switch (seen.type) {
    case 'gone':
      return DEAD;
    case 'hidden':
      return unknown('hidden');
    case 'there':
      if (startTime === '') return unknown('did-not-tell');
      return seen.startTime === startTime ? ALIVE : DEAD;
    default:
      return unreachable(seen);
  }
}

/** I5 */
function isFromBeforeRestart({ machineId }: ProcessIdentity, trace: Trace): boolean {
  const own = ownIdentity();
  if (machineId !== own.machineId) return false;
  if (process.platform === 'darwin') return machineId !== undefined;
  if (trace.disk !== 'local' || !isOnLocalDisk(trace.folder)) return false;
  return machineId !== undefined || trace.lastSignAt < bootedAt();
}

function bootedAt(): number {
  return Date.now() - process.getBuiltinModule('node:os').uptime() * 1000;
}

function unknown(why: Doubt): Life {
  return { type: 'unknown', why };
}
