/**
 * Whether files given to a process may still be open in one of its descendants, now that the process itself has exited.
 *
 * Pids are given out in ascending order, and `/proc/loadavg` ends with the last one: a descendant that lives has a pid between
 * the two. For a program that started nothing this is one short read. Every doubt is answered with yes.
 */
import fs from 'node:fs';

const MOST_PIDS_LOOKED_AT = 256;

export function mayBeHeld(descriptors: readonly number[], pid: number): boolean {
  if (isGroupAlive(pid)) return true;
  const files = descriptors.map((descriptor) => fs.fstatSync(descriptor));
  // What a process forks while we look gets a later pid: look until no new one has come.
  for (let seen = pid; ; ) {
    const last = lastPid();
    if (last === seen) return false;
    if (last === undefined || last < seen || last - pid > MOST_PIDS_LOOKED_AT) return true;
    for (let candidate = seen + 1; candidate <= last; candidate++) {
      if (candidate !== process.pid && holdsOne(candidate, files)) return true;
    }
    seen = last;
  }
}

function isGroupAlive(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function lastPid(): number | undefined {
  try {
    const [last] = /\d+\s*$/.exec(fs.readFileSync('/proc/loadavg', 'latin1')) ?? [];
    return last === undefined ? undefined : Number(last);
  } catch {
    return undefined;
  }
}

function holdsOne(pid: number, files: readonly fs.Stats[]): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    if (!fs.existsSync(folder)) return false;
    return fs.readdirSync(folder).some((name) => {
      const open = fs.statSync(`${folder}/${name}`, { throwIfNoEntry: false });
      return open !== undefined && files.some((file) => file.ino === open.ino && file.dev === open.dev);
    });
  } catch {
    // Gone meanwhile, or another user's: only the first is harmless.
    return fs.existsSync(folder);
  }
}
