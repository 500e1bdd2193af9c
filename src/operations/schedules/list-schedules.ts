/** The schedules of a workspace with their times, as recorded by the keeper. */
import { defined } from '../../model/defined.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { timesOf } from './due.ts';
import { type FoundSchedules, type Schedule, ScheduleFinder } from './find-schedules.ts';
import { readKeeperRecord, type ScheduleRecord } from './keeper-events.ts';
import { readPauses } from './paused.ts';

/** Loading it runs it. */
const NOT_LOADED = 'you have not trusted its code; `orchestrate keep` asks';

export interface ListedSchedule extends Schedule {
  readonly isPaused: boolean;
  /** Undefined if it is paused or never. */
  readonly next?: Date;
  readonly record?: ScheduleRecord;
}

export interface ScheduleList {
  readonly schedules: readonly ListedSchedule[];
  readonly invalid: FoundSchedules['invalid'];
}

export async function listSchedules(
  site: Site,
  files: readonly string[] = [],
): Promise<Result<ScheduleList, Problem>> {
  const { schedules, invalid, untrusted } = await new ScheduleFinder().find(site, files);
  const { record } = readKeeperRecord(site.workspace);
  const pauses = readPauses(site.workspace);
  const now = site.now();
  return ok({
    schedules: schedules.map((schedule) => {
      const isPaused = pauses.get(schedule.file)?.isPaused === true;
      const next = isPaused ? undefined : timesOf(schedule.entry).next(now);
      const known = record.schedules.get(schedule.id);
      return {
        ...schedule,
        isPaused,
        ...defined({ next }),
        ...defined({ record: known }),
      };
    }),
    invalid: [...invalid, ...untrusted.map((file) => ({ file, problem: NOT_LOADED }))],
  });
}

export interface PlannedStart {
  readonly at: Date;
  readonly schedule: Schedule;
}

/** The next starts of all schedules, in order. */
export async function nextStarts(
  site: Site,
  { count, files = [] }: { readonly count: number; readonly files?: readonly string[] },
): Promise<Result<readonly PlannedStart[], Problem>> {
  const listed = await listSchedules(site, files);
  return listed.type === 'error' ? listed : ok(startsOf(listed.value.schedules, count));
}

export function startsOf(schedules: readonly ListedSchedule[], count: number): readonly PlannedStart[] {
  const starts = schedules.flatMap((schedule) => {
    const found: PlannedStart[] = [];
    const { next } = timesOf(schedule.entry);
    for (let at = schedule.next; at !== undefined && found.length < count; at = next(at))
      found.push({ at, schedule });
    return found;
  });
  return starts.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, count);
}
