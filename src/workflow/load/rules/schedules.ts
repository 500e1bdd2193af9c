import { cronProblem, isTimezone } from '../../cron.ts';
import type { Check } from './rule.ts';

/** Checks the times of `schedule`. */
export function checkSchedules({ file, report }: Check): void {
  for (const entry of file.source.schedule ?? []) {
    const problem = cronProblem(entry.cron);
    if (problem !== undefined)
      report.error('workflow/invalid-value', file.places.valueRange(entry, 'cron'), {
        message: problem,
        help: 'every night at 2:30 is `30 2 * * *`; on weekdays at 9:00 is `0 9 * * mon-fri`',
      });
    if (entry.timezone !== undefined && !isTimezone(entry.timezone))
      report.error('workflow/invalid-value', file.places.valueRange(entry, 'timezone'), {
        message: `unknown time zone \`${entry.timezone}\``,
        help: 'use a name like `Europe/Berlin` or `UTC`',
      });
  }
}
