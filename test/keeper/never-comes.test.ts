import { describe, expect, it } from 'vitest';
import { timesOf } from '../../src/operations/schedules/due.ts';
import { cronProblem } from '../../src/workflow/cron.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const DAYS = ['*', '1', '28', '29', '30', '31', '30-31', '29-31/2', '*/30', '31,29', '?'];
const MONTHS = ['*', '2', 'feb', '4', 'feb,apr', '2-3', '4,6,9,11', '*/2', '1-12/5'];
const WEEKDAYS = ['*', '?', '1', 'mon-fri', '*/2'];

describe('a schedule', () => {
  const all = DAYS.flatMap((day) =>
    MONTHS.flatMap((month) => WEEKDAYS.map((weekday) => `0 3 ${day} ${month} ${weekday}`)),
  );

  it('is refused exactly if it never comes', () => {
    const refused = all.filter((cron) => cronProblem(cron) !== undefined);
    const never = all.filter((cron) => timesOf({ cron }).next(NOW) === undefined);
    expect(refused).toEqual(never);
    expect(never).toContain('0 3 30-31 2 *');
    expect(never.length).toBeLessThan(all.length / 2);
  });

  it.each(['0 3 5- * *', '0 3 -5 * *', '0 3 5-6-7 * *', '0 3 9-5 * *', '0 3 5/2 * *', '0 3 1,,2 * *'])(
    '`%s` is refused, as it is not a range',
    (cron) => {
      expect(cronProblem(cron)).toContain('is not valid as day of the month');
    },
  );
});
