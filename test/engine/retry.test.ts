import { expect, it } from 'vitest';
import { decideRetry, type RetryPolicy } from '../../src/engine/retry.ts';

const policy: RetryPolicy = {
  max: 10,
  delayMs: 1000,
  backoff: 2,
  maxDelayMs: 3000,
  jitter: 0,
  limitWaitMs: 0,
};

function pauses(changed: Partial<RetryPolicy>, random: number): readonly (number | string)[] {
  return [1, 2, 3, 4].map((counted) => {
    const decision = decideRetry(
      { ...policy, ...changed },
      {
        failure: { type: 'exit-code', exitCode: 1 },
        counted,
        startedAt: '2026-01-31T12:00:00.000Z',
        now: Date.parse('2026-01-31T12:00:00.000Z'),
        random,
      },
    );
    return decision.type === 'again' ? decision.afterMs : decision.type;
  });
}

it.each([
  ['grow up to the longest', {}, 0.5, [1000, 2000, 3000, 3000]],
  ['are listed one by one, the last for all that follow', { delaysMs: [5, 7] }, 0.5, [5, 7, 7, 7]],
  ['may be shorter by chance', { jitter: 0.5 }, 0, [500, 1000, 1500, 1500]],
  ['are by no chance longer than the longest', { jitter: 1 }, 1, [2000, 3000, 3000, 3000]],
  ['come to an end', { max: 2 }, 0.5, [1000, 2000, 'give-up', 'give-up']],
])('pauses before another try %s', (_, changed, random, expected) => {
  expect(pauses(changed, random)).toEqual(expected);
});
