/**
 * Which process on which machine. A pid alone is not enough: it is given out again. With the time the kernel started the process and
 * the boot it belongs to, it names one process for good.
 *
 * Machines that share a folder are told apart by their host names, and containers or sandboxes of one machine by the space in which
 * their pids count: of a process elsewhere nothing here can tell that it has ended.
 */
import fs from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** As the kernel counts it; compared, never computed with. */
  readonly startTime: string;
  readonly host: string;
  /** Empty where the system does not tell. */
  readonly bootId: string;
  /** Where the pid counts; absent where the system does not tell. */
  readonly pidSpace?: string;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    startTime: processStartTime(process.pid) ?? '',
    host: hostname(),
    bootId: readBootId(),
    ...pidSpace(),
  };
  return own;
}

/** Whether its pid means the same process to us. */
export function isHere(identity: ProcessIdentity): boolean {
  const own = ownIdentity();
  return identity.host === own.host && identity.pidSpace === own.pidSpace;
}

/** Whether the process can still do anything. One elsewhere always may. */
export function isAlive(identity: ProcessIdentity): boolean {
  const own = ownIdentity();
  if (identity.host !== own.host) return true;
  if (identity.bootId !== own.bootId) return false;
  if (!isHere(identity)) return true;
  const now = processStartTime(identity.pid);
  if (now === undefined) return isHidden(identity.pid);
  return now === identity.startTime;
}

/** Nothing when there is no such process, or one that has ended and only waits for its parent. */
export function processStartTime(pid: number): string | undefined {
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

function startTimeFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    const line = childProcess()
      .execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      .trim();
    const [state = 'Z', ...startTime] = line.split(/\s+/);
    return state.startsWith('Z') ? undefined : startTime.join(' ');
  } catch {
    return undefined;
  }
}

/** `/proc` may be set to hide the processes of other users: such a process exists and its start time cannot be known. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pidSpace(): { readonly pidSpace?: string } {
  try {
    return { pidSpace: fs.readlinkSync('/proc/self/ns/pid') };
  } catch {
    return {};
  }
}

/** Loading `node:os` takes longer than all the rest of an identity. */
function hostname(): string {
  try {
    if (process.platform === 'linux') return fs.readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
  } catch {
    // A sandbox may hide it; then the library asks the kernel.
  }
  return process.getBuiltinModule('node:os').hostname();
}

function readBootId(): string {
  try {
    if (process.platform === 'linux') {
      return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    }
    return childProcess().execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/** Read only where it is needed: loading it takes a twentieth of the start of a short program. */
function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process');
}
