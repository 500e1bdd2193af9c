/**
 * The journal of the keeper, `.orchestrate/keeper/journal.jsonl`: what schedules started and which runs were taken up. Its format is that of
 * a run's journal.
 *
 * K1 A start is recorded, with the id of its run, before the run is started. A run folder appears once, so the start can be repeated after a
 *    kill at any moment without starting anything twice.
 * K2 A schedule looks only at times after the last one it has decided about.
 * K3 A large journal is replaced by its summary, at once: a kill leaves the old one or the new one, and both say the same about every run that
 *    exists and every schedule that was decided about in the last year.
 */
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { type JournalDamage, visitJournal } from '../../store/journal-file.ts';
import { keeperPaths } from '../../store/layout.ts';

export type SkipReason = 'overlap' | 'paused' | 'missed' | 'refused';

export type KeeperEvent =
  /** The schedule was seen for the first time. */
  | { readonly type: 'schedule-seen'; readonly at: string; readonly schedule: string }
  | {
      readonly type: 'start-due';
      readonly at: string;
      readonly schedule: string;
      readonly due: string;
      readonly runId: RunId;
    }
  | { readonly type: 'run-begun'; readonly at: string; readonly runId: RunId }
  /** It waits in the queue. */
  | { readonly type: 'run-queued'; readonly at: string; readonly runId: RunId }
  | {
      readonly type: 'start-skipped';
      readonly at: string;
      readonly schedule: string;
      readonly due: string;
      readonly why: SkipReason;
      /** For `refused`: a sentence. */
      readonly problem?: string;
      /** For a start that was recorded before. */
      readonly runId?: RunId;
    }
  | {
      readonly type: 'run-taken-up';
      readonly at: string;
      readonly runId: RunId;
      readonly why: string;
      /** Counts from 1, since the run last completed something. */
      readonly attempt: number;
      /** How much the run had done. */
      readonly done: number;
    }
  /** What all earlier events add up to: the first record of a journal that was compacted (K3). */
  | {
      readonly type: 'summary';
      readonly at: string;
      readonly schedules: Entries<ScheduleRecord>;
      readonly open: Entries<OpenStart>;
      readonly runs: Entries<readonly RunId[]>;
      readonly takenUp: Entries<TakenUp>;
      readonly left: Entries<LeftRun>;
      readonly loops?: LoopsTakenUp;
    }
  /** It is not taken up again before a person has resumed it. */
  | {
      readonly type: 'run-left';
      readonly at: string;
      readonly runId: RunId;
      readonly why: string;
      readonly done: number;
    }
  /** The queue of loops is continued: `since` tells which work of it. */
  | {
      readonly type: 'loops-taken-up';
      readonly at: string;
      readonly since: string;
      readonly attempt: number;
      readonly done: number;
    };

export interface ScheduleRecord {
  /** The last time that was decided about (K2). */
  readonly decidedUntil: string;
  readonly lastRun?: RunId;
  readonly lastDue?: string;
  readonly lastSkip?: { readonly due: string; readonly why: SkipReason; readonly problem?: string };
}

export interface TakenUp {
  readonly at: string;
  readonly attempt: number;
  readonly done: number;
}

interface OpenStart {
  readonly schedule: string;
  readonly due: string;
}

interface LoopsTakenUp extends TakenUp {
  readonly since: string;
}

interface LeftRun {
  readonly why: string;
  readonly done: number;
}

type Entries<Value> = readonly (readonly [key: string, value: Value])[];

/** A schedule without a decision for so long was removed or changed. */
const FORGOTTEN_MS = 366 * 86_400_000;
/** Two can be open: one that runs, and one that waits. */
const MOST_RUNS = 3;

/** What the events add up to. */
export class KeeperRecord {
  readonly schedules = new Map<string, ScheduleRecord>();
  /** Starts that were recorded and not carried out (K1). */
  readonly open = new Map<RunId, OpenStart>();
  /** The last runs of each schedule. */
  readonly #runs = new Map<string, readonly RunId[]>();
  readonly takenUp = new Map<RunId, TakenUp>();
  readonly left = new Map<RunId, LeftRun>();
  loops: LoopsTakenUp | undefined;

  /** K3. `isThere`: whether the folder of a run exists. */
  summary(at: Date, isThere: (runId: RunId) => boolean): KeeperEvent {
    const oldest = at.getTime() - FORGOTTEN_MS;
    const schedules = [...this.schedules].filter(
      ([, { decidedUntil }]) => Date.parse(decidedUntil) >= oldest,
    );
    const known = new Set(schedules.map(([id]) => id));
    return {
      ...{ type: 'summary', at: at.toISOString(), schedules },
      open: [...this.open],
      runs: [...this.#runs].filter(([id]) => known.has(id)),
      takenUp: [...this.takenUp].filter(([runId]) => isThere(runId)),
      left: [...this.left].filter(([runId]) => isThere(runId)),
      ...defined({ loops: this.loops }),
    };
  }

  runsOf(schedule: string): readonly RunId[] {
    return this.#runs.get(schedule) ?? [];
  }

  apply(event: KeeperEvent): void {
    switch (event.type) {
      case 'schedule-seen':
        this.schedules.set(event.schedule, { decidedUntil: event.at });
        break;
      case 'start-due':
        this.schedules.set(event.schedule, {
          decidedUntil: event.due,
          lastRun: event.runId,
          lastDue: event.due,
        });
        this.open.set(event.runId, { schedule: event.schedule, due: event.due });
        this.#runs.set(event.schedule, [event.runId, ...this.runsOf(event.schedule)].slice(0, MOST_RUNS));
        break;
      case 'run-begun':
      case 'run-queued':
        this.open.delete(event.runId);
        break;
      case 'start-skipped': {
        const { due, why, problem } = event;
        const before = this.schedules.get(event.schedule);
        const skip = { due, why, ...defined({ problem }) };
        this.schedules.set(event.schedule, { ...before, decidedUntil: due, lastSkip: skip });
        if (event.runId !== undefined) this.open.delete(event.runId);
        break;
      }
      case 'run-taken-up':
        this.takenUp.set(event.runId, { at: event.at, attempt: event.attempt, done: event.done });
        this.left.delete(event.runId);
        break;
      case 'summary':
        fill(this.schedules, event.schedules);
        fill(this.open, event.open);
        fill(this.#runs, event.runs);
        fill(this.takenUp, event.takenUp);
        fill(this.left, event.left);
        this.loops = event.loops;
        break;
      case 'run-left':
        this.left.set(event.runId, { why: event.why, done: event.done });
        break;
      case 'loops-taken-up':
        this.loops = { at: event.at, attempt: event.attempt, done: event.done, since: event.since };
        break;
      default:
        unreachable(event);
    }
  }
}

function fill<Key extends string, Value>(map: Map<Key, Value>, entries: Entries<Value>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key as Key, value);
}

/** Keeper events are records like those of a run, so the journal reads and writes them. */
export function asRecord(event: KeeperEvent): JournalEvent {
  return event as unknown as JournalEvent;
}

export function asKeeperEvent(event: JournalEvent): KeeperEvent {
  return event as unknown as KeeperEvent;
}

/** Reads without changing anything. Without a journal the record is empty. */
export function readKeeperRecord(workspace: string): { record: KeeperRecord; damage?: JournalDamage } {
  const record = new KeeperRecord();
  const read = visitJournal(keeperPaths(workspace).journal, {
    visit: (event) => record.apply(asKeeperEvent(event)),
  });
  if (read.type === 'ok' || (read.error.type === 'file-error' && read.error.code === 'ENOENT'))
    return { record };
  return { record, damage: read.error };
}
