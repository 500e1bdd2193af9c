/**
 * The processes that this process has running, for an immediate end: a second Ctrl-C.
 *
 * R1  A process is tracked from before its start until it no longer has to be stopped.
 * R2  A process that may have started but has not reported its pid yet is found by its mark.
 * R3  A group is signalled only if its leader is still the process that was started.
 * R4  Without stamps, a process that a descendant started without its environment, in a session of its own, is known by its parent
 *     alone: so descendants are searched for before the first process is killed.
 */
import { Marks } from './marks.ts';
import { livingPids, type ProcessEntry, processStartTime, processTableNow } from './process-table.ts';

export interface Running {
  started(pid: number, startTime: string): void;
  /** The process and everything that had to be stopped have ended. */
  forget(): void;
}

interface Leader {
  readonly pid: number;
  readonly startTime: string;
}

/** Mark → the leader of its group, once known. */
const processes = new Map<string, Leader | undefined>();
/** Processes that start others for us: they are killed first, so that they start nothing more. */
const helpers = new Set<Leader>();

/** The search is repeated for processes that keep forking, at most this often. */
const MOST_PASSES = 4;

export function trackProcess(mark: string): Running {
  processes.set(mark, undefined);
  return {
    started: (pid, startTime) => void processes.set(mark, { pid, startTime }),
    forget: () => void processes.delete(mark),
  };
}

/** Returns a function that removes it. */
export function trackHelper(pid: number): () => void {
  const helper = { pid, startTime: processStartTime(pid) ?? '' };
  helpers.add(helper);
  return () => void helpers.delete(helper);
}

/**
 * Sends SIGKILL to everything this process has running, and to its descendants, before returning. Nothing is reported or
 * recorded: the caller exits next.
 */
export function killAllNow(): void {
  const offspring = descendants();
  for (const helper of helpers) killGroup(helper);
  for (const leader of processes.values()) {
    if (leader !== undefined) killGroup(leader);
  }
  for (const { pid, startTime } of offspring) if (processStartTime(pid) === startTime) kill(pid);
  const marks = new Marks(processes.keys());
  for (let pass = 0; pass < MOST_PASSES && killMarked(marks); pass++);
}

/** R4 */
function descendants(): readonly ProcessEntry[] {
  const leaders = [...processes.values()].flatMap((leader) => (leader === undefined ? [] : [leader.pid]));
  const known = new Set(leaders);
  if (known.size === 0) return [];
  const others = processTableNow().filter(({ pid }) => pid !== process.pid);
  const found = new Set<ProcessEntry>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const entry of others) {
      if (found.has(entry) || !known.has(entry.parent)) continue;
      found.add(entry);
      known.add(entry.pid);
    }
  }
  return [...found];
}

/** R3. A pid is not reused while its group exists: if no process has the pid, the group is still the same or empty. */
function killGroup({ pid, startTime }: Leader): void {
  const now = processStartTime(pid);
  if (now !== undefined && startTime !== '' && now !== startTime) return;
  kill(-pid);
}

/** R2, and descendants in a session of their own. False if there was none. */
function killMarked(marks: Marks): boolean {
  if (processes.size === 0) return false;
  let isFound = false;
  for (const pid of livingPids() ?? []) {
    if (pid !== process.pid && marks.isOn(pid)) isFound = kill(pid) || isFound;
  }
  return isFound;
}

/** False if it has ended meanwhile or belongs to another user. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
