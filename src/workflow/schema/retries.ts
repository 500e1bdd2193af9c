import * as v from 'valibot';
import { later } from './later.ts';
import { milliseconds, wholeNumber } from './scalars.ts';

export const retries = later(() =>
  v.pipe(
    v.union([
      wholeNumber('The number of retries after the first attempt.', { min: 0, max: 1000 }),
      v.strictObject({
        max: wholeNumber('The number of retries after the first attempt.', { min: 0, max: 1000 }),
        delay_ms: v.optional(milliseconds('The delay before the first retry.'), 1000),
        backoff: v.optional(
          v.pipe(
            v.number(),
            v.minValue(1, 'must be at least 1'),
            v.maxValue(100, 'must be at most 100'),
            v.description('Each delay is this many times the previous one.'),
          ),
          2,
        ),
        max_delay_ms: v.optional(milliseconds('The longest delay.'), 60_000),
        jitter: v.optional(
          v.pipe(
            v.number(),
            v.minValue(0, 'must be between 0 and 1'),
            v.maxValue(1, 'must be between 0 and 1'),
            v.description('The random part of a delay, from 0 to 1.'),
          ),
          0,
        ),
        on_exit: v.optional(
          v.pipe(
            v.array(wholeNumber('An exit code.', { min: 0, max: 255 })),
            v.description('Exit codes that are retried. Default: 1 and 124.'),
          ),
        ),
      }),
    ]),
    v.description('How often a failed step is retried. Default: 2 for agents, 0 for commands.'),
  ),
);
