/**
 * Whether files given to a process may still be open in one of its descendants after the process itself has exited.
 *
 * Pids are assigned in ascending order, and `/proc/loadavg` ends with the last one: a living descendant has a pid between
 * the two. For a program that started nothing this is one short read. If many others have started meanwhile the answer is
 * `unknown`: checking them all would cost more than a new file.
 */
import fs from 'node:fs';
import { lastPid } from './process-table.ts';

const MOST_PIDS_LOOKED_AT = 256;
const MOST_PROCESSES_LOOKED_AT = 8;

export type Holding = 'free' | 'held' | 'unknown';

export function heldByDescendant(descriptors: readonly number[], pid: number): Holding {
  let files: readonly fs.Stats[] | undefined;
  let processes = 0;
  // A process forked meanwhile gets a later pid: repeat until there is no new one.
  for (let seen = pid; ; ) {
    const last = lastPid();
    // A member of the group is alive but was not found: it is hidden from us.
    if (last === seen) return isGroupAlive(pid) ? 'unknown' : 'free';
    if (last === undefined || last < seen || last - pid > MOST_PIDS_LOOKED_AT) return 'unknown';
    for (let candidate = seen + 1; candidate <= last; candidate++) {
      if (candidate === process.pid || !fs.existsSync(`/proc/${candidate}`)) continue;
      if (++processes > MOST_PROCESSES_LOOKED_AT) return 'unknown';
      files ??= descriptors.map((descriptor) => fs.fstatSync(descriptor));
      const holding = heldBy(candidate, files);
      if (holding !== 'free') return holding;
    }
    seen = last;
  }
}

/** Usually it is not, which Node reports as an error; capturing its stack trace would cost more than the call. */
function isGroupAlive(pid: number): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function heldBy(pid: number, files: readonly fs.Stats[]): Holding {
  const folder = `/proc/${pid}/fd`;
  try {
    const isHeld = fs.readdirSync(folder).some((name) => {
      const open = fs.statSync(`${folder}/${name}`, { throwIfNoEntry: false });
      return open !== undefined && files.some((file) => file.ino === open.ino && file.dev === open.dev);
    });
    return isHeld ? 'held' : 'free';
  } catch {
    // Ended meanwhile, or owned by another user.
    return fs.existsSync(folder) ? 'unknown' : 'free';
  }
}
