/** Events for a journal, and functions that read or open an intact journal. */
import type { JournalEvent } from '../../src/model/event.ts';
import { stepKey } from '../../src/model/ids.ts';
import { openJournal, readJournal } from '../../src/store/journal-file.ts';

export const AT = '2026-01-31T23:59:59.000Z';
export const event = (n: number): JournalEvent => ({ type: 'time-read', at: AT, key: stepKey('Build', n) });

/** Includes difficult data: characters of every width, quotes, a checksum in a text, numbers in keys. */
export const SAMPLE: readonly JournalEvent[] = [
  event(1),
  { type: 'sleep-started', at: AT, key: stepKey('Wait'), until: 'é€𝄞 "quoted"\n\u0000,"crc":"00000000"}' },
  {
    type: 'step-ended',
    at: AT,
    key: stepKey('Loop', 0, 'Compile#2'),
    effect: 'run-command',
    attempts: 1,
    startedAt: AT,
    durationMs: 12,
    output: { exitCode: 0, nested: [null, true, 1.5, { seq: 9, crc: 'x' }] },
  },
];

export function loaded(path: string) {
  const result = readJournal(path);
  if (result.type === 'error') throw new Error(result.error.message);
  const { events, tornBytes } = result.value;
  return { events, tornBytes };
}

export function opened(path: string) {
  const events: JournalEvent[] = [];
  const result = openJournal(path, { visit: (event) => events.push(event) });
  if (result.type === 'error') throw new Error(result.error.message);
  return { ...result.value, events };
}
