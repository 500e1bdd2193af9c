import { expect, it } from 'vitest';
import { waitUntil } from '../../src/engine/wait-until.ts';
import { spanMs } from '../../src/model/span.ts';

const DAY_MS = 24 * 3600 * 1000;
const never = new AbortController().signal;

it('ends a pause after its length even if the wall clock was set back', async () => {
  await waitUntil({ at: Date.now() + DAY_MS, longestMs: 20 }, never);
});

it('ends at once if its time has passed, whatever its length', async () => {
  await waitUntil({ at: Date.now() - 1, longestMs: DAY_MS }, never);
});

it('waits for the wall clock if it has no length', async () => {
  const stop = new AbortController();
  const waiting = waitUntil({ at: Date.now() + DAY_MS }, stop.signal);
  stop.abort('stopped');
  await expect(waiting).rejects.toBe('stopped');
});

it('never measures a negative duration', () => {
  expect(spanMs('2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.500Z')).toBe(1500);
  expect(spanMs('2026-01-31T12:00:00.000Z', '2026-01-30T12:00:00.000Z')).toBe(0);
});
