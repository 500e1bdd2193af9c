/**
 * What a damaged journal may yield, judged by its bytes alone (docs/files.md).
 *
 * T1 The result is a prefix of what was written: no record is changed, omitted or invented.
 * T2 Everything before the damage is read, unless the whole journal is refused.
 * T3 If an intact line follows the damage, the whole journal is refused.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Read } from '../rig/readers.ts';
import { Violation } from '../suite.ts';
import type { Damage } from './damage.ts';

const NEWLINE = 10;

export interface WholeJournal {
  readonly bytes: Buffer;
  /** Where each line ends, including its newline; the header comes first. */
  readonly ends: readonly number[];
  readonly events: readonly unknown[];
}

export function wholeJournal(bytes: Buffer): WholeJournal {
  const ends: number[] = [];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at + 1);
  const lines = bytes.toString('utf8').split('\n').slice(1, -1);
  const events = lines.map((line) => {
    const { seq: _seq, synced: _synced, crc: _crc, ...event } = JSON.parse(line);
    return event;
  });
  return { bytes, ends, events };
}

export function expectHonest(whole: WholeJournal, damage: Damage, read: Read): void {
  const wrong = (expected: string, found: string): never => {
    throw new Violation({ expected, found, where: `bytes ${damage.from} to ${damage.to}` });
  };
  if (read.type === 'error') return;
  const { events } = read.value as { readonly events: readonly unknown[] };
  if (!isDeepStrictEqual(events, whole.events.slice(0, events.length)))
    wrong('records as they were written (T1)', JSON.stringify(events));
  // The first line is the header, not a record.
  const before = Math.max(0, whole.ends.filter((end) => end <= damage.from).length - 1);
  if (events.length < before) wrong(`${before} records (T2)`, `${events.length}`);
  const isCut = damage.bytes.length < whole.bytes.length;
  const behind = whole.ends.slice(0, -1).filter((start) => start >= damage.to).length;
  const isWholeAgain = !isCut && behind > 0 && events.length < whole.events.length;
  if (isWholeAgain) wrong('that damage before intact records is refused (T3)', `${events.length} records`);
}
