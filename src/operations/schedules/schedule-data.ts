/** The schedules of a workspace, its queue of runs and its keeper, as every door shows them in JSON. */
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import { readConfig } from '../config/read-config.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { keeperOf } from './keeper-of.ts';
import { type ListedSchedule, listSchedules, startsOf } from './list-schedules.ts';
import { type QueuedRun, readQueue } from './run-queue.ts';

export interface ScheduleData {
  readonly id: string;
  readonly file: string;
  readonly workflow: string;
  readonly cron: string;
  readonly timezone?: string;
  readonly context: JsonObject;
  readonly overlap: string;
  readonly catch_up: string;
  readonly paused: boolean;
  readonly next: string | null;
  readonly last: string | null;
  readonly last_run: string | null;
  readonly last_skipped: { readonly due: string; readonly why: string; readonly problem?: string } | null;
}

export interface ScheduleScreen {
  /** The process that starts them; null: nothing does. */
  readonly keeper: { readonly pid: number } | null;
  readonly max_runs: number;
  readonly schedules: readonly ScheduleData[];
  /** The next starts of all schedules. */
  readonly next: readonly { readonly at: string; readonly id: string; readonly file: string }[];
  /** In the order in which they start. */
  readonly queue: readonly QueuedRun[];
  readonly invalid: readonly { readonly file: string; readonly problem: string }[];
}

export function scheduleData({ id, file, workflow, entry, ...listed }: ListedSchedule): ScheduleData {
  const { cron, timezone, context, overlap, catchUp } = entry;
  const { isPaused, next, record } = listed;
  return {
    ...{ id, file, workflow, cron },
    ...defined({ timezone }),
    ...{ context, overlap, catch_up: catchUp, paused: isPaused },
    next: next?.toISOString() ?? null,
    last: record?.lastDue ?? null,
    last_run: record?.lastRun ?? null,
    last_skipped: record?.lastSkip ?? null,
  };
}

export async function readScheduleScreen(
  site: Site,
  { starts }: { readonly starts: number },
): Promise<Result<ScheduleScreen, Problem>> {
  const listed = await listSchedules(site);
  if (listed.type === 'error') return listed;
  const queue = readQueue(site.workspace);
  if (queue.type === 'error') return queue;
  const { schedules, invalid } = listed.value;
  const pid = keeperOf(site);
  return ok({
    keeper: pid === undefined ? null : { pid },
    max_runs: readConfig(site).config.maxRuns,
    schedules: schedules.map(scheduleData),
    next: startsOf(schedules, starts).map(({ at, schedule }) => ({
      ...{ at: at.toISOString(), id: schedule.id, file: schedule.file },
    })),
    queue: queue.value,
    invalid,
  });
}
