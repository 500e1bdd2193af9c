/**
 * Identifies one process on one machine. A pid alone is not enough, because it is reused. With the start time from the kernel, the
 * boot and the pid space, it identifies one process forever. What the system does not report is empty
 * here, and empty never equals empty: see `process-life.ts`, which decides what follows from an identity.
 */
import fs from 'node:fs';
import { fnv1a } from '../model/fnv1a.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** The kernel's start time; only compared. Empty if the process could not read its own. */
  readonly startTime: string;
  /** For display only: it changes with the network, and `localhost` is everywhere. */
  readonly host: string;
  /** Id of the running kernel; empty if the system does not report it. */
  readonly bootId: string;
  /** Where the pid is valid: the container or sandbox. Undefined if the system does not report it. */
  readonly pidSpace?: string;
  /** Stays the same after a restart of the machine. Undefined if the system does not report it. */
  readonly machineId?: string;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    startTime: ownStartTime(),
    host: hostname(),
    bootId: readBootId(),
    ...ifKnown('pidSpace', readPidSpace()),
    ...ifKnown('machineId', readMachineId()),
  };
  return own;
}

/** What is visible of a pid here. `hidden`: the process exists, and nothing more is known. */
export type Sight =
  | { readonly type: 'gone' }
  | { readonly type: 'there'; readonly startTime: string }
  | { readonly type: 'hidden' };

const GONE: Sight = { type: 'gone' };

export function lookAt(pid: number): Sight {
  // Without an own start time, the process table is hidden or belongs to another pid space.
  const seen = ownIdentity().startTime === '' ? undefined : sightIn(pid);
  return seen ?? (isKnownToKernel(pid) ? { type: 'hidden' } : GONE);
}

/** Undefined if there is no such process, or it has ended and only waits for its parent. */
export function processStartTime(pid: number): string | undefined {
  const seen = sightIn(pid);
  return seen?.type === 'there' ? seen.startTime : undefined;
}

function sightIn(pid: number): Sight | undefined {
  return process.platform === 'linux' ? parseStat(readProc(`${pid}/stat`)) : sightInPs(pid);
}

function ownStartTime(): string {
  if (process.platform !== 'linux') return processStartTime(process.pid) ?? '';
  const stat = readProc('self/stat');
  // `/proc` may belong to an outer pid space, where the numbers mean other processes.
  if (stat === undefined || Number.parseInt(stat, 10) !== process.pid) return '';
  const seen = parseStat(stat);
  return seen?.type === 'there' ? seen.startTime : '';
}

function parseStat(stat: string | undefined): Sight | undefined {
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime, threads] = [fields[0], fields[19], fields[17]];
  // The first thread may have ended before one that still writes to a slow disk.
  if (state === 'X' || (state === 'Z' && Number(threads) <= 1)) return GONE;
  return startTime === undefined ? undefined : { type: 'there', startTime };
}

function sightInPs(pid: number): Sight | undefined {
  const line = outputOf('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)]);
  const [state, ...startTime] = line?.split(/\s+/) ?? [];
  if (state === undefined || startTime.length === 0) return undefined;
  return state.startsWith('Z') ? GONE : { type: 'there', startTime: startTime.join(' ') };
}

/** Asks the kernel directly, which works without a process table. */
function isKnownToKernel(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readPidSpace(): string | undefined {
  // On other systems the whole machine has one.
  if (process.platform !== 'linux') return 'all';
  const pids = readLink('/proc/self/ns/pid');
  const times = readLink('/proc/self/ns/time');
  // Start times are relative to the reader's time namespace. A kernel without them has one.
  return times === undefined || times === FIRST_TIME_SPACE || pids === undefined ? pids : `${pids} ${times}`;
}

/** The kernel gives it this number on every machine. */
const FIRST_TIME_SPACE = 'time:[4026531834]';

/** Loading `node:os` takes longer than the rest of an identity. */
function hostname(): string {
  const reported = process.platform === 'linux' ? readProc('sys/kernel/hostname') : undefined;
  return reported ?? process.getBuiltinModule('node:os').hostname();
}

function readBootId(): string {
  const reported =
    process.platform === 'linux'
      ? readProc('sys/kernel/random/boot_id')
      : outputOf('sysctl', ['-n', 'kern.bootsessionuuid']);
  return reported ?? '';
}

/** A digest of the id, because the id itself is private. */
function readMachineId(): string | undefined {
  const id = process.platform === 'linux' ? readIfThere('/etc/machine-id') : hardwareId();
  // Until it is set, systemd's is `uninitialized`.
  return id !== undefined && /^[0-9a-f-]{32,36}$/i.test(id)
    ? `${fnv1a(`1 ${id}`)}${fnv1a(`2 ${id}`)}`
    : undefined;
}

function hardwareId(): string | undefined {
  const reported = outputOf('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
  return /"IOPlatformUUID" = "(?<id>[^"]+)"/.exec(reported ?? '')?.groups?.['id'];
}

function readProc(name: string): string | undefined {
  return readIfThere(`/proc/${name}`);
}

function readIfThere(path: string): string | undefined {
  try {
    const text = fs.readFileSync(path, 'utf8').trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}

function outputOf(program: string, args: readonly string[]): string | undefined {
  try {
    // Loading it takes a twentieth of the start-up time of a short program.
    const text = process
      .getBuiltinModule('node:child_process')
      .execFileSync(program, args, {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      .trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function ifKnown<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [name in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: string });
}
