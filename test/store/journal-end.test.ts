import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import type { StepKey } from '../../src/model/ids.ts';
import { readJournalEnd } from '../../src/store/journal-end.ts';
import { encodeRecord, HEADER } from '../../src/store/journal-format.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const AT = '2026-01-31T12:00:00.000Z';

function record(seq: number, length = 10): string {
  const event: JournalEvent = {
    type: 'time-read',
    at: AT,
    key: `${'k'.repeat(length)}` as StepKey,
    workedMs: 1,
  };
  return encodeRecord(event, seq, seq - 1);
}

function journalOf(...parts: readonly string[]): string {
  const file = path.join(temporaryFolder(), 'journal.jsonl');
  fs.writeFileSync(file, Buffer.concat([HEADER, ...parts.map((part) => Buffer.from(part))]));
  return file;
}

describe('the end of a journal', () => {
  it('is its last whole record, wherever the file was cut', () => {
    const whole = [record(1), record(2, 100_000), record(3)];
    const file = journalOf(...whole);
    const { size } = fs.statSync(file);
    expect(readJournalEnd(file)).toEqual({ records: 3, bytes: size });
    const starts = whole.map((_, index) => HEADER.length + whole.slice(0, index).join('').length);
    for (const [index, start = 0] of starts.entries())
      for (const cut of [start, start + 1, start + Math.floor((whole[index]?.length ?? 0) / 2)]) {
        fs.writeFileSync(file, Buffer.concat([HEADER, Buffer.from(whole.join(''))]).subarray(0, cut));
        expect(readJournalEnd(file), `cut at ${cut}`).toEqual({ records: index, bytes: start });
      }
  });

  it('is unknown for a missing file, and for one whose last line is no record', () => {
    expect(readJournalEnd(path.join(temporaryFolder(), 'none'))).toBeUndefined();
    expect(readJournalEnd(journalOf(record(1), 'not a record\n'))).toBeUndefined();
    const empty = journalOf();
    fs.writeFileSync(empty, '');
    expect(readJournalEnd(empty)).toBeUndefined();
  });
});
