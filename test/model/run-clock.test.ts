import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { RunClock } from '../../src/model/run-clock.ts';

const at = (type: 'run-started' | 'run-resumed' | 'run-ended' | 'time-read', time: string): RunEvent =>
  ({ type, at: `2026-01-01T00:00:${time}Z`, key: 'A' }) as unknown as RunEvent;

function clockAfter(...events: readonly RunEvent[]): RunClock {
  const clock = new RunClock();
  for (const event of events) clock.apply(event);
  return clock;
}

it('counts from the start of each process to its end, or to its last record', () => {
  const clock = clockAfter(
    at('run-started', '00.000'),
    at('time-read', '02.500'),
    // Killed here.
    at('run-resumed', '10.000'),
    at('time-read', '11.000'),
    at('run-ended', '12.000'),
  );
  expect(clock.ms).toBe(4500);
});

it('never goes back, in whichever form a time is written', () => {
  expect(clockAfter(at('run-started', '00.000'), at('time-read', '03'), at('time-read', '02.999')).ms).toBe(
    3000,
  );
  expect(clockAfter(at('run-started', '00'), at('time-read', '01.500'), at('time-read', '01')).ms).toBe(1500);
});

it('has begun with its first event', () => {
  expect([clockAfter().hasBegun, clockAfter(at('run-started', '00.000')).hasBegun]).toEqual([false, true]);
});
