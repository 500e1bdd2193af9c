/** The times of a schedule. The library knows time zones and daylight saving: a time that does not exist starts when the clocks have moved. */
import { Cron } from 'croner';
import { defined } from '../../model/defined.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';

export interface Times {
  /** The last time after `after` and not after `until`. */
  last(after: Date, until: Date): Date | undefined;
  /** The first time after `after`; undefined if there is none. */
  next(after: Date): Date | undefined;
}

export function timesOf({ cron, timezone }: Pick<ScheduleEntry, 'cron' | 'timezone'>): Times {
  const times = new Cron(cron, { paused: true, ...defined({ timezone }) });
  const next = (after: Date): Date | undefined => times.nextRun(after) ?? undefined;
  return {
    next,
    last(after, until) {
      let last: Date | undefined;
      const [previous] = times.previousRuns(1, new Date(until.getTime() + 1));
      if (previous !== undefined && previous > after && previous <= until) last = previous;
      // Near a change of the clocks, forwards is exact.
      for (let at = next(last ?? after); at !== undefined && at <= until; at = next(at)) last = at;
      return last;
    },
  };
}
