/**
 * Whether a process that left its identity on the disk can still act (J5). Treating a living one as dead destroys its work, so:
 *
 * I1 Only a certainly dead process is dead. If in doubt it is unknown and counts as alive, however old its last heartbeat is.
 * I2 A boot id identifies one kernel from its start to its end. If it is the same, so is the machine, whatever its host name.
 * I3 On the same boot and in the same pid space the pid decides. Dead: the kernel knows no such process, it has ended and only waits for
 *    its parent, or it started at another time. A start time that one side could not read decides nothing.
 * I4 In another pid space (a container, a sandbox) the pid means another process: unknown.
 * I5 With another boot id it is this machine before a restart, or another machine. A host name cannot distinguish the two, nor can a
 *    machine id alone: it is copied with a machine's image. It is dead if all of these hold:
 *      a. the pid space has the same name, and no process here has its pid and start time: some containers have a
 *         boot id of their own on the same kernel;
 *      b. the machine ids are the same; or neither system has one, and the last heartbeat is older than this boot;
 *      c. both saw the folder on a local disk, and such a disk is mounted by one running system at a time.
 *    On macOS the machine id belongs to the hardware: there, a and b suffice, and an id is required.
 * I6 A process that cannot determine its own boot or pid space cannot judge others, and cannot be judged.
 */
import { unreachable } from '../model/unreachable.ts';
import { isOnLocalDisk } from './local-disk.ts';
import { lookAt, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export type Life =
  | { readonly type: 'alive' }
  | { readonly type: 'dead' }
  | { readonly type: 'unknown'; readonly why: Doubt };

/** Why it is unknown whether a process is alive. */
export type Doubt = 'cannot-see' | 'unrecorded' | 'hidden' | 'other-space' | 'other-boot';

/** The evidence around an identity. */
export interface Trace {
  readonly folder: string;
  /** As seen by its process. */
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
  if (identity.bootId === '' || identity.pidSpace === undefined) return unknown('unrecorded');
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
      if (startTime === '') return unknown('unrecorded');
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
