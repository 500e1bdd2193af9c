import * as v from 'valibot';
import { milliseconds, wholeNumber } from './scalars.ts';

export const retries = v.pipe(
  v.union([
    wholeNumber('Further tries after the first.', { min: 0, max: 1000 }),
    v.strictObject({
      max: wholeNumber('Further tries after the first.', { min: 0, max: 1000 }),
      delay_ms: v.optional(milliseconds('The pause before the second try.'), 1000),
      backoff: v.optional(
        v.pipe(
          v.number(),
          v.minValue(1, 'must be at least 1'),
          v.maxValue(100, 'must be at most 100'),
          v.description('Each pause is this many times the one before.'),
        ),
        2,
      ),
      max_delay_ms: v.optional(milliseconds('No pause is longer.'), 60_000),
      jitter: v.optional(
        v.pipe(
          v.number(),
          v.minValue(0, 'must be between 0 and 1'),
          v.maxValue(1, 'must be between 0 and 1'),
          v.description('The part of a pause that is random.'),
        ),
        0,
      ),
      on_exit: v.optional(
        v.pipe(
          v.array(wholeNumber('An exit code.', { min: 0, max: 255 })),
          v.description('Exit codes that are worth another try; 1 and 124 unless this says otherwise.'),
        ),
      ),
    }),
  ]),
  v.description(
    'How often a failed step is tried again. Agents are tried again twice unless this says otherwise, commands never.',
  ),
);
