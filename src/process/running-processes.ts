/**
 * What this process has running, for an end with no time left: a second Ctrl-C.
 *
 * R1  A process is known from before its start until nobody has to end it any more.
 * R2  A process that may have been started and has not told its pid yet is found by its mark.
 * R3  No group is signalled whose leader is another process than the one that was started.
 * R4  Where there are no stamps, what a descendant has started without its environment, in a session of its own, is known by its parent
 *     alone: so it is looked for before the first of them is ended.
 */
import { Marks } from './marks.ts';
import { livingPids, type ProcessEntry, processStartTime, processTableNow } from './process-table.ts';

export interface Running {
  started(pid: number, startTime: string): void;
  /** It is gone, with all that had to be ended. */
  forget(): void;
}

interface Leader {
  readonly pid: number;
  readonly startTime: string;
}

/** Mark → who leads its group, once that is known. */
const processes = new Map<string, Leader | undefined>();
/** Those that start others for us: they end first, so that they start nothing more. */
const helpers = new Set<Leader>();

/** What still forks while it is looked for is looked for again, so often. */
const MOST_PASSES = 4;

export function trackProcess(mark: string): Running {
  processes.set(mark, undefined);
  return {
    started: (pid, startTime) => void processes.set(mark, { pid, startTime }),
    forget: () => void processes.delete(mark),
  };
}

/** Answers how to forget it. */
export function trackHelper(pid: number): () => void {
  const helper = { pid, startTime: processStartTime(pid) ?? '' };
  helpers.add(helper);
  return () => void helpers.delete(helper);
}

/**
 * SIGKILL to everything this process has running, and to what that started, before it returns. Nobody is told and nothing is
 * written down: whoever calls this exits next.
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

/** R3. A group keeps its number from being given out again: where nobody has the pid, the group is still the same or empty. */
function killGroup({ pid, startTime }: Leader): void {
  const now = processStartTime(pid);
  if (now !== undefined && startTime !== '' && now !== startTime) return;
  kill(-pid);
}

/** R2, and descendants that went into a session of their own. False: there was none. */
function killMarked(marks: Marks): boolean {
  if (processes.size === 0) return false;
  let isFound = false;
  for (const pid of livingPids() ?? []) {
    if (pid !== process.pid && marks.isOn(pid)) isFound = kill(pid) || isFound;
  }
  return isFound;
}

/** False: gone meanwhile, or another user's. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
