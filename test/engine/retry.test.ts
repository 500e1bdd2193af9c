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
        waited: 0,
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
  ['follow the list, and the last one repeats', { delaysMs: [5, 7] }, 0.5, [5, 7, 7, 7]],
  ['may be randomly shorter', { jitter: 0.5 }, 0, [500, 1000, 1500, 1500]],
  ['are never randomly longer than the longest', { jitter: 1 }, 1, [2000, 3000, 3000, 3000]],
  ['end after the last retry', { max: 2 }, 0.5, [1000, 2000, 'give-up', 'give-up']],
])('delays before a retry %s', (_, changed, random, expected) => {
  expect(pauses(changed, random)).toEqual(expected);
});

const AT = Date.parse('2026-01-31T12:00:00.000Z');

it.each([
  ['with growing delays if no reset time is known', undefined, [5, 10, 20, 40, 60, 60]],
  ['until its reset time if that is known', '2026-01-31T14:00:00.000Z', [120, 120, 120, 120, 120, 120]],
  [
    'first without delay, then with growing delays, if its reset time is past',
    '2026-01-31T11:59:00.000Z',
    [0, 10, 20, 40, 60, 60],
  ],
])('waits for a usage limit %s', (_, resetsAt, minutes) => {
  const waits = minutes.map((_minutes, waited) =>
    decideRetry(
      { ...policy, max: 0, limitWaitMs: 7 * 24 * 3600_000 },
      {
        failure: {
          type: 'agent',
          outcome: { type: 'rate-limited', message: 'x', ...(resetsAt === undefined ? {} : { resetsAt }) },
        },
        ...{ counted: 1, waited, random: 0.5 },
        ...{ startedAt: '2026-01-31T12:00:00.000Z', now: AT },
      },
    ),
  );
  expect(
    waits.map((wait) => (wait.type === 'again' && !wait.counted ? Math.floor(wait.afterMs / 60_000) : wait)),
  ).toEqual(minutes);
});

it.each([
  ['2026-01-31T14:00:00.000Z', 'again'],
  ['2026-01-31T15:00:00.000Z', 'give-up'],
])(
  'waits for a usage limit no longer than until another agent can be called: %s is %s',
  (resetsAt, expected) => {
    const failure = { type: 'agent', outcome: { type: 'rate-limited', message: 'x', resetsAt } } as const;
    const decision = decideRetry(
      { ...policy, limitWaitMs: 7 * 24 * 3600_000, limitUntil: '2026-01-31T14:00:00.000Z' },
      { failure, counted: 1, waited: 0, startedAt: '2026-01-31T12:00:00.000Z', now: AT, random: 0.5 },
    );
    expect(decision.type).toBe(expected);
  },
);
