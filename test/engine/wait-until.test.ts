import { expect, it } from 'vitest';
import { waitUntil } from '../../src/engine/wait-until.ts';
import { spanMs } from '../../src/model/span.ts';

const DAY_MS = 24 * 3600 * 1000;
const never = new AbortController().signal;

it('ends a pause after its own length when the wall clock was set back', async () => {
  await waitUntil({ at: Date.now() + DAY_MS, longestMs: 20 }, never);
});

it('ends at once when its moment has passed, however long it was to last', async () => {
  await waitUntil({ at: Date.now() - 1, longestMs: DAY_MS }, never);
});

it('waits for the wall clock where it has no length', async () => {
  const stop = new AbortController();
  const waiting = waitUntil({ at: Date.now() + DAY_MS }, stop.signal);
  stop.abort('stopped');
  await expect(waiting).rejects.toBe('stopped');
});

it('knows no length of time below nothing', () => {
  expect(spanMs('2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.500Z')).toBe(1500);
  expect(spanMs('2026-01-31T12:00:00.000Z', '2026-01-30T12:00:00.000Z')).toBe(0);
});
