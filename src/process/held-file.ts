/**
 * Whether files given to a process may still be open in one of its descendants, now that the process itself has exited.
 *
 * Pids are given out in ascending order, and `/proc/loadavg` ends with the last one: a descendant that lives has a pid between
 * the two. For a program that started nothing this is one short read. Where much else has started meanwhile the answer is
 * `unknown`: to look at everything would cost more than a new file.
 */
import fs from 'node:fs';
import { lastPid } from './process-table.ts';

const MOST_PIDS_LOOKED_AT = 256;
const MOST_PROCESSES_LOOKED_AT = 8;

export type Holding = 'free' | 'held' | 'unknown';

export function heldByDescendant(descriptors: readonly number[], pid: number): Holding {
  let files: readonly fs.Stats[] | undefined;
  let processes = 0;
  // What a process forks while we look gets a later pid: look until no new one has come.
  for (let seen = pid; ; ) {
    const last = lastPid();
    // One of the group lives and was not found: it is hidden from us.
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

/** After almost every step it is not, which Node tells by an error: to write down where that happened would cost more than to ask. */
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
    // Gone meanwhile, or another user's.
    return fs.existsSync(folder) ? 'unknown' : 'free';
  }
}
