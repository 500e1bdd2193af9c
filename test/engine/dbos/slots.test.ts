import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/engine/dbos/slots.ts';

const { signal } = new AbortController();

describe('the slots of a worker', () => {
  it('are given to the calls of a label in their order, and not to those of another', async () => {
    const slots = new Slots((label) => (label === 'claude' ? 1 : 4));
    const order: string[] = [];
    const first = await slots.take('claude', signal);
    const waiting = ['second', 'third'].map(async (name) => {
      const giveBack = await slots.take('claude', signal);
      order.push(name);
      giveBack();
    });
    (await slots.take('default', signal))();
    order.push('other');
    first();
    await Promise.all(waiting);
    expect(order).toEqual(['other', 'second', 'third']);
  });

  it('are not waited for by a call that is cancelled', async () => {
    const slots = new Slots(() => 1);
    const first = await slots.take('claude', signal);
    const cancelled = new AbortController();
    const waiting = slots.take('claude', cancelled.signal);
    cancelled.abort();
    (await waiting)();
    first();
    (await slots.take('claude', signal))();
  });
});
