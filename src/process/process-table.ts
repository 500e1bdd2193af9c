/** The running processes: from `/proc` on Linux, from `ps` elsewhere. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 if the system does not report it. */
  readonly session: number;
  /** Opaque; with the pid it identifies one process until the machine restarts. */
  readonly startTime: string;
}

export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  return process.platform === 'linux' ? readProc() : await readPs();
}

/** `/proc/loadavg`, kept open: it is read after every step, and opening it costs more than reading it. */
let loadAverage: number | undefined;
const LINE = Buffer.alloc(128);

/** The last pid assigned: later processes have higher ones, until the system wraps around. */
export function lastPid(): number | undefined {
  try {
    loadAverage ??= fs.openSync('/proc/loadavg', 'r');
    const line = LINE.toString('latin1', 0, fs.readSync(loadAverage, LINE, 0, LINE.length, 0));
    const last = line.slice(line.lastIndexOf(' ') + 1).trimEnd();
    return /^\d+$/.test(last) ? Number(last) : undefined;
  } catch {
    return undefined;
  }
}

/** Synchronous; empty on systems without `/proc`. */
export function processTableNow(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? readProc() : [];
}

/** The existing pids; undefined on systems without `/proc`. */
export function livingPids(): ReadonlySet<number> | undefined {
  if (process.platform !== 'linux') return undefined;
  return new Set(fs.readdirSync('/proc').map(Number).filter(Number.isInteger));
}

/**
 * Includes a process that has ended and was not waited for yet. Undefined if there is no such process, or if this would
 * need `ps`.
 */
export function processStartTime(pid: number): string | undefined {
  return process.platform === 'linux' ? readStat(pid)?.startTime : undefined;
}

/** For a process that was just started; empty if unknown. Without `/proc` this calls `ps`, which takes a few milliseconds. */
export function startTimeOf(pid: number): string {
  if (process.platform === 'linux') return processStartTime(pid) ?? '';
  try {
    const args = ['-o', 'lstart=', '-p', String(pid)];
    return oneSpaced(
      execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: psEnv() }),
    );
  } catch {
    return '';
  }
}

/** Whether the run of a process can be determined whatever its parent. */
export function canReadMarks(): boolean {
  return process.platform === 'linux';
}

/** A variable of the environment a process was started with, if it is readable. */
export function environmentValue(pid: number, name: string): string | undefined {
  const environment = readText(`/proc/${pid}/environ`);
  if (environment === undefined) return undefined;
  const start = `\0${environment}`.indexOf(`\0${name}=`);
  if (start === -1) return undefined;
  const from = start + name.length + 1;
  const end = environment.indexOf('\0', from);
  return environment.slice(from, end === -1 ? undefined : end);
}

/** The soft limit of file locks, which is a process's stamp; undefined if it has none. */
export function stampOf(pid: number): string | undefined {
  return /^Max file locks +(\d+)/m.exec(readText(`/proc/${pid}/limits`) ?? '')?.[1];
}

function readProc(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of fs.readdirSync('/proc')) {
    const entry = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (entry?.isLiving) entries.push(entry);
  }
  return entries;
}

function readStat(pid: number): (ProcessEntry & { readonly isLiving: boolean }) | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (startTime === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    // A zombie is dead: it only waits for its parent.
    isLiving: state !== 'Z' && state !== 'X',
  };
}

/** Undefined if it has ended or is not readable. */
function readText(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** `ps` prints times in the language and zone of its environment; they are compared between calls. */
function psEnv(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
}

function oneSpaced(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function readPs(): Promise<readonly ProcessEntry[]> {
  return new Promise((resolve) => {
    const args = ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='];
    execFile('ps', args, { maxBuffer: 64 * 1024 * 1024, env: psEnv() }, (_error, stdout) =>
      resolve(parsePs(stdout)),
    );
  });
}

/** Up to the last column. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+/;

export function parsePs(text: string): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const [head, pid, parent, group, state] = PS_LINE.exec(line) ?? [];
    const startTime = head === undefined ? '' : line.slice(head.length).trim();
    if (startTime === '' || state?.startsWith('Z')) continue;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      startTime: oneSpaced(startTime),
    });
  }
  return entries;
}
