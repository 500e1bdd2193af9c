import { describe, expect, it } from 'vitest';
import type { Stepped } from '../../src/engine/durable.ts';
import { inTurn } from '../../src/engine/in-turn.ts';
import { NO_RETRY } from '../../src/engine/retry.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { EffectOutput } from '../../src/model/record.ts';

const SOON = '2026-01-31T14:00:00.000Z';
const LATER = '2026-01-31T18:00:00.000Z';
const RETRY = { ...NO_RETRY, limitWaitMs: 1_000_000 };

const limited = (resetsAt?: string): Failure => ({
  type: 'agent',
  outcome: { type: 'rate-limited', message: 'limit', ...(resetsAt === undefined ? {} : { resetsAt }) },
});

function ended(failure: Failure | undefined): Stepped<EffectOutput> {
  const at = '2026-01-31T12:00:00.000Z';
  const output = failure === undefined ? {} : { failure };
  return { output, attempts: 1, startedAt: at, endedAt: at, durationMs: 0 };
}

/** `a` and `b` fail as given; called again, they succeed. */
async function called(failures: readonly (Failure | undefined)[], resting?: ReadonlyMap<number, string>) {
  const calls: string[] = [];
  const took = await inTurn({
    names: ['a', 'b'],
    retry: RETRY,
    ...(resting === undefined ? {} : { resting }),
    call(index, { limitWaitMs, limitUntil }, isAgain) {
      const waits = limitWaitMs === 0 ? 'never waits' : `waits until ${limitUntil ?? 'the end'}`;
      calls.push(`${'ab'[index]}${isAgain ? ' again' : ''} ${waits}`);
      return Promise.resolve(ended(isAgain ? undefined : failures[index]));
    },
    onSwitch: async (index, _failed, next) => void calls.push(`${'ab'[index]} → ${'ab'[next]}`),
  });
  return { calls, index: took.index, failed: took.stepped.output.failure !== undefined };
}

describe('agents called in turn', () => {
  it('wait for the one whose limit ends first, not for the last of the list', async () => {
    expect(await called([limited(SOON), limited(LATER)])).toEqual({
      calls: ['a never waits', 'a → b', `b waits until ${SOON}`, 'b → a', 'a again waits until the end'],
      index: 0,
      failed: false,
    });
  });

  it('wait for one that was at its limit before this turn', async () => {
    expect(await called([undefined, limited(LATER)], new Map([[0, SOON]]))).toEqual({
      calls: [`b waits until ${SOON}`, 'b → a', 'a waits until the end'],
      index: 0,
      failed: false,
    });
  });

  it('are not called before a limit ends if all are at theirs, except the one that is waited for', async () => {
    const resting = new Map([
      [0, LATER],
      [1, SOON],
    ]);
    expect(await called([undefined, undefined], resting)).toEqual({
      calls: ['b waits until the end'],
      index: 1,
      failed: false,
    });
  });

  it('leave the wait to the last one if no other said when its limit ends', async () => {
    expect(await called([limited(), limited(LATER)])).toEqual({
      calls: ['a never waits', 'a → b', 'b waits until the end'],
      index: 1,
      failed: true,
    });
  });

  it('are not replaced after a failure that another cannot help with', async () => {
    const invalid: Failure = { type: 'agent', outcome: { type: 'invalid-input', message: 'no' } };
    expect(await called([invalid, undefined])).toEqual({ calls: ['a never waits'], index: 0, failed: true });
  });
});
