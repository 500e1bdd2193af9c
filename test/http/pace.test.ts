/** How often the page gets messages (E4), in simulated time. */
import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/http/pace.ts';

/** When messages are sent if every look at a change finds something. */
function sentAt(changes: readonly number[], hasNews = (_at: number) => true): readonly number[] {
  const pace = new Pace();
  const sent: number[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    // It is part of a look that is still to come.
    if (change <= lookedAt) continue;
    lookedAt = change + pace.waitMs(change);
    const isNews = hasNews(lookedAt);
    pace.looked(lookedAt, isNews);
    if (isNews) sent.push(lookedAt);
  }
  return sent;
}

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => 1000 + index * ms);

describe('messages about changes', () => {
  it('are sent at once for steps that end every 150 ms, each with the start of the next one', () => {
    const ends = every(150, 50);
    const changes = ends.flatMap((at) => [at, at + 2, at + 5]);
    expect(sentAt(changes)).toEqual(ends.map((at) => at + 8));
  });

  it.each([1, 3, 40, 90])('are never more than ten in any second: a change every %i ms', (ms) => {
    const sent = sentAt(every(ms, 5000));
    for (const from of sent) {
      const within = sent.filter((at) => at >= from && at < from + 1000);
      expect(within.length).toBeLessThanOrEqual(10);
    }
  });

  it('are evenly spaced under load: nothing is held back longer than a fifth of a second', () => {
    const sent = sentAt(every(1, 5000));
    const gaps = sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(200);
  });

  it('are not held back by looks that found nothing', () => {
    const changes = every(30, 20);
    const last = changes.at(-1) ?? 0;
    expect(sentAt(changes, (at) => at > last)).toEqual([last + 8]);
  });
});
