/**
 * Stops processes with all their descendants, including those in a session of their own and orphans.
 *
 * T1  A member is found by its parent, by a group or session that a member leads, or by its mark (`marks.ts`). A found member
 *     stays known, so its children are found even after it has ended.
 * T2  A process is signalled only if its pid and start time are the same as when it was found.
 * T3  This process and its ancestors are never members.
 * T4  SIGTERM first, also to late-comers; what is left after the grace period gets SIGKILL until nothing is left. Only a process that
 *     the kernel itself cannot end (stuck in a device) is given up on.
 */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Marks } from './marks.ts';
import {
  canReadMarks,
  lastPid,
  type ProcessEntry,
  processStartTime,
  readProcessTable,
} from './process-table.ts';

const UNKILLABLE_AFTER_MS = 5_000;
/** Checking more of them one by one costs as much as reading the whole table. */
const MOST_PIDS_LOOKED_AT = 256;

export interface TerminateOptions {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Includes every process that was started with this mark. */
  readonly mark?: string;
  /** Start time of the root: a process with the same pid and another start time is ignored. */
  readonly startTime?: string;
}

/** Returns the pids that were found, each once. */
export async function terminateTree(pid: number, options: TerminateOptions): Promise<readonly number[]> {
  return await end({ ...options, root: pid });
}

export interface MarkedOptions {
  readonly graceMs: number;
  /** The last pid before the mark was created: only later ones are checked. Valid only while pids have not wrapped around. */
  readonly after?: number;
}

/** Stops everything that a run left running, including descendants. */
export async function endMarkedProcesses(mark: string, options: MarkedOptions): Promise<number[]> {
  const { graceMs, after } = options;
  if (after !== undefined && !isMarkedAfter(mark, after)) return [];
  return await end({ graceMs, mark });
}

/** A process as recorded at its start. */
export interface StartedProcess {
  readonly pid: number;
  readonly startTime: string;
}

export interface LeftOptions {
  readonly graceMs: number;
  /** Started processes without a recorded end. */
  readonly started: readonly StartedProcess[];
}

/**
 * Stops what a dead owner of a run left running (J7): by its mark; if marks cannot be read, the recorded processes that are alive, and their
 * descendants. Start times there are wall-clock times, so they identify one process even across boots.
 */
export async function endLeftProcesses(mark: string, options: LeftOptions): Promise<number[]> {
  const { graceMs, started } = options;
  if (canReadMarks()) return await endMarkedProcesses(mark, { graceMs });
  const table = await readProcessTable();
  const living = started.filter(({ pid, startTime }) =>
    table.some((entry) => entry.pid === pid && entry.startTime === startTime),
  );
  const ended = await Promise.all(
    living.map(({ pid, startTime }) => terminateTree(pid, { graceMs, startTime })),
  );
  return [...new Set(ended.flat())];
}

/** Also true if checking a few pids cannot decide it. */
function isMarkedAfter(mark: string, after: number): boolean {
  const marks = new Marks([mark]);
  // A process forked meanwhile gets a later pid: repeat until there is no new one.
  for (let seen = after; ; ) {
    const last = lastPid();
    if (last === seen) return false;
    if (last === undefined || last < seen || last - after > MOST_PIDS_LOOKED_AT) return true;
    for (let pid = seen + 1; pid <= last; pid += 1) {
      // Most of them have ended: a failed read takes ten times as long as this check.
      if (pid !== process.pid && fs.existsSync(`/proc/${pid}`) && marks.isOn(pid)) return true;
    }
    seen = last;
  }
}

async function end(wanted: Wanted): Promise<number[]> {
  const marks = new Marks(wanted.mark === undefined ? [] : [wanted.mark]);
  const search: Search = { wanted, marks, known: new Map(), found: new Set() };
  const warned = new Set<string>();
  const killAt = monotonicMs() + wanted.graceMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const living = findMembers(await readProcessTable(), search);
    const now = monotonicMs();
    if (living.length === 0 || now > killAt + UNKILLABLE_AFTER_MS) return [...search.found];
    if (now < killAt) {
      terminateEach(living, warned);
      await delay(Math.min(pauseMs, Math.max(1, killAt - now)));
    } else {
      killEach(living, search);
      await delay(Math.min(pauseMs, 10));
    }
  }
}

/** `performance` would also work, but takes 1 ms to load. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

interface Wanted extends TerminateOptions {
  readonly root?: number;
}

interface Search {
  readonly wanted: Wanted;
  readonly marks: Marks;
  /** Every member so far whose pid has not been reused. */
  readonly known: Map<number, ProcessEntry>;
  readonly found: Set<number>;
}

/** T1, T3. */
function findMembers(table: readonly ProcessEntry[], search: Search): readonly ProcessEntry[] {
  const { known, found } = search;
  const byPid = new Map(table.map((entry) => [entry.pid, entry]));
  for (const [pid, before] of known) {
    const now = byPid.get(pid);
    if (now !== undefined && now.startTime !== before.startTime) known.delete(pid);
  }
  const ourselves = ancestors(byPid);
  const others = table.filter((entry) => !ourselves.has(entry.pid));
  const members = new Set<ProcessEntry>();
  const admit = (entry: ProcessEntry): void => {
    members.add(entry);
    known.set(entry.pid, entry);
    found.add(entry.pid);
  };
  for (let marks = -1; marks !== search.marks.size; ) {
    marks = search.marks.size;
    for (const entry of others) {
      if (!members.has(entry) && (known.has(entry.pid) || isWanted(entry, search))) admit(entry);
    }
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const entry of others) {
      if (members.has(entry)) continue;
      if (known.has(entry.parent) || known.has(entry.group) || known.has(entry.session)) admit(entry);
    }
  }
  return [...members];
}

function isWanted(entry: ProcessEntry, { wanted, marks }: Search): boolean {
  const { root } = wanted;
  if (entry.pid === root) return wanted.startTime === undefined || wanted.startTime === entry.startTime;
  // The kernel reuses a pid only after its group and session have ended.
  if (root !== undefined && (entry.group === root || entry.session === root)) return true;
  return marks.size > 0 && marks.isOn(entry.pid);
}

function ancestors(byPid: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> {
  const pids = new Set<number>([0, 1]);
  for (let pid: number | undefined = process.pid; pid !== undefined && !pids.has(pid); ) {
    pids.add(pid);
    pid = byPid.get(pid)?.parent;
  }
  return pids;
}

/** Once each: a second SIGTERM makes some programs skip their own clean-up. */
function terminateEach(members: readonly ProcessEntry[], warned: Set<string>): void {
  for (const member of members) {
    const identity = `${member.pid} ${member.startTime}`;
    if (warned.has(identity)) continue;
    warned.add(identity);
    send(member, 'SIGTERM');
  }
}

/** Kills whole groups if a member leads one, so that nothing is forked between two signals. */
function killEach(members: readonly ProcessEntry[], search: Search): void {
  for (const member of members) {
    if (!send(member, 'SIGKILL')) continue;
    if (search.known.has(member.group)) sendTo(-member.group, 'SIGKILL');
  }
}

/** T2. */
function send(member: ProcessEntry, signal: NodeJS.Signals): boolean {
  const now = processStartTime(member.pid);
  if (now !== undefined && now !== member.startTime) return false;
  return sendTo(member.pid, signal);
}

/** False if it has ended meanwhile or belongs to another user. */
function sendTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
