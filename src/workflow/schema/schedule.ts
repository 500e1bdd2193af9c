/** When a workflow is started by itself, and whether its runs are taken up again. */
import * as v from 'valibot';
import { later } from './later.ts';
import { jsonRecord, words } from './scalars.ts';

export const OVERLAPS = ['skip', 'queue', 'cancel'] as const;
export const CATCH_UPS = ['none', 'once'] as const;

const entry = v.strictObject({
  cron: words('When to start: five fields (minute, hour, day, month, weekday), or six with seconds first.'),
  timezone: v.optional(words('The time zone of `cron`, like `Europe/Berlin`. Default: that of the machine.')),
  context: v.optional(jsonRecord('Values of `context` and inputs for these runs.')),
  overlap: v.optional(
    v.pipe(
      v.picklist(OVERLAPS),
      v.description(
        'If the previous run of this schedule has not ended: start none, start one when it has ended, or cancel it.',
      ),
    ),
    'skip',
  ),
  catch_up: v.optional(
    v.pipe(
      v.picklist(CATCH_UPS),
      v.description(
        'Whether starts that were missed while nothing was running are made up for by one start.',
      ),
    ),
    'none',
  ),
});

export type ScheduleSource = v.InferOutput<typeof entry>;

export const schedule = later(() =>
  v.pipe(v.array(entry), v.description('When `orchestrate keep` and `serve` start this workflow.')),
);

export const keep = v.pipe(
  v.picklist(['always', 'never']),
  v.description('Whether `orchestrate keep` and `serve` resume runs of this workflow by themselves.'),
);
