import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { stepKey } from '../../src/model/ids.ts';
import {
  createJournal,
  type JournalDamage,
  JournalWriteError,
  openJournal,
  readJournal,
} from '../../src/store/journal-file.ts';
import { encodeRecord, HEADER } from '../../src/store/journal-format.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { AT, event, loaded, opened, SAMPLE } from './journal-rig.ts';

const folder = folderForEach();
const journalPath = () => join(folder.path, 'journal.jsonl');

async function write(events: readonly JournalEvent[]): Promise<void> {
  const journal = createJournal(journalPath());
  for (const each of events) await journal.append(each);
  journal.close();
}

function damageOf(bytes: Buffer): JournalDamage {
  fs.writeFileSync(journalPath(), bytes);
  const read = readJournal(journalPath());
  const open = openJournal(journalPath(), { visit() {} });
  expect(fs.readFileSync(journalPath())).toEqual(bytes);
  if (read.type === 'ok' || open.type === 'ok') throw new Error('expected damage');
  expect(open.error).toEqual(read.error);
  return read.error;
}

describe('a journal', () => {
  it('returns what was appended, in order', async () => {
    await write(SAMPLE);
    expect(loaded(journalPath())).toEqual({ events: SAMPLE, tornBytes: 0 });
  });

  it('is private to its user', () => {
    createJournal(journalPath()).close();
    expect(fs.statSync(journalPath()).mode & 0o777).toBe(0o600);
  });

  it('never overwrites an existing file', () => {
    fs.writeFileSync(journalPath(), 'precious');
    expect(() => createJournal(journalPath())).toThrow(JournalWriteError);
    expect(() => createJournal(journalPath())).toThrow('it already exists (EEXIST)');
    expect(fs.readFileSync(journalPath(), 'utf8')).toBe('precious');
  });

  it('continues after it is opened again', async () => {
    await write(SAMPLE);
    const { journal, events, cutBytes } = opened(journalPath());
    expect({ events, cutBytes }).toEqual({ events: SAMPLE, cutBytes: 0 });
    await journal.append(event(4));
    journal.close();
    expect(loaded(journalPath()).events).toEqual([...SAMPLE, event(4)]);
  });

  it('has one JSON document with a checksum per line', async () => {
    await write(SAMPLE);
    const lines = fs.readFileSync(journalPath(), 'utf8').trimEnd().split('\n');
    expect(lines[0]).toBe('{"format":"orchestrate-journal","version":1,"crc":"0e894c29"}');
    expect(lines.slice(1).map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3]);
    for (const line of lines) expect(line).toMatch(/,"crc":"[0-9a-f]{8}"\}$/);
  });

  it('may contain records larger than one read', async () => {
    const large: JournalEvent = {
      type: 'run-ended',
      at: AT,
      status: 'completed',
      output: 'x€'.repeat(1_500_000),
    };
    await write([event(1), large, event(2), large, event(3)]);
    expect(loaded(journalPath()).events).toEqual([event(1), large, event(2), large, event(3)]);
  });

  it('is read the same way wherever the reads end', async () => {
    const events = Array.from({ length: 30_000 }, (_, n) => event(n));
    const journal = createJournal(journalPath());
    for (const each of events) journal.appendNow(each);
    journal.close();
    expect(loaded(journalPath())).toEqual({ events, tornBytes: 0 });
  });

  it('is not changed by reading', async () => {
    await write(SAMPLE);
    fs.appendFileSync(journalPath(), '{"seq":4,"ty');
    const before = fs.readFileSync(journalPath());
    expect(loaded(journalPath())).toEqual({ events: SAMPLE, tornBytes: 12 });
    expect(fs.readFileSync(journalPath())).toEqual(before);
  });
});

describe('a truncated journal', () => {
  it('loads at every length as its intact records, and can be appended to', async () => {
    await write(SAMPLE);
    const whole = fs.readFileSync(journalPath());
    const ends = lineEnds(whole);
    for (let length = 0; length <= whole.length; length += 1) {
      fs.writeFileSync(journalPath(), whole.subarray(0, length));
      const wholeLines = ends.filter((end) => end <= length);
      const expected = SAMPLE.slice(0, Math.max(0, wholeLines.length - 1));
      const tornBytes = length - (wholeLines.at(-1) ?? 0);
      expect(loaded(journalPath())).toEqual({ events: expected, tornBytes });
      const { journal, events, cutBytes } = opened(journalPath());
      expect({ events, cutBytes }).toEqual({ events: expected, cutBytes: tornBytes });
      journal.appendNow(event(9));
      journal.close();
      expect(loaded(journalPath())).toEqual({ events: [...expected, event(9)], tornBytes: 0 });
    }
  });

  it.each([
    ['zeros', Buffer.alloc(5000)],
    ['noise with newlines', Buffer.from('\n\n{"seq":4}\nnoise\n\xff\xfe\n', 'latin1')],
    ['a record without its newline', Buffer.from(encodeRecord(event(4), 4, 3).slice(0, -1))],
  ])('loses only %s at its end', async (_, tail) => {
    await write(SAMPLE);
    fs.appendFileSync(journalPath(), tail);
    expect(loaded(journalPath())).toEqual({ events: SAMPLE, tornBytes: tail.length });
    const { journal, cutBytes } = opened(journalPath());
    expect(cutBytes).toBe(tail.length);
    journal.close();
    expect(loaded(journalPath())).toEqual({ events: SAMPLE, tornBytes: 0 });
  });

  it('is created again if a power loss interrupted its creation', () => {
    fs.writeFileSync(journalPath(), Buffer.concat([HEADER.subarray(0, 10), Buffer.alloc(30)]));
    const { journal, events } = opened(journalPath());
    journal.appendNow(event(1));
    journal.close();
    expect(events).toEqual([]);
    expect(loaded(journalPath()).events).toEqual([event(1)]);
  });
});

/** Three synced records, and five that were not synced, each longer than two sectors. */
async function writeGroup(): Promise<{ readonly bytes: Buffer; readonly syncedBytes: number }> {
  const journal = createJournal(journalPath());
  for (const each of SAMPLE) await journal.append(each);
  const syncedBytes = fs.statSync(journalPath()).size;
  for (const n of [4, 5, 6, 7, 8]) journal.appendNow(long(n));
  const bytes = fs.readFileSync(journalPath());
  journal.close();
  return { bytes, syncedBytes };
}

const long = (n: number): JournalEvent => ({
  ...{ type: 'sleep-started', at: AT, key: stepKey('Wait', n), until: 'x'.repeat(1200) },
});
const SECTOR = 512;

describe('a journal in which a power loss kept later sectors but not earlier ones', () => {
  it('loads what was synced and what is intact before the hole, whichever sectors are missing', async () => {
    const { bytes, syncedBytes } = await writeGroup();
    const sectors = Math.ceil(bytes.length / SECTOR);
    const first = Math.floor(syncedBytes / SECTOR);
    for (let from = first; from < sectors; from += 1) {
      for (let to = from + 1; to <= sectors; to += 1) {
        const left = Buffer.from(bytes);
        const hole = Math.max(syncedBytes, from * SECTOR);
        left.fill(0, hole, Math.min(left.length, to * SECTOR));
        fs.writeFileSync(journalPath(), left);
        const whole = lineEnds(bytes).filter((end) => end <= hole);
        const { events, tornBytes } = loaded(journalPath());
        expect(events).toEqual([...SAMPLE, ...[4, 5, 6, 7, 8].map(long)].slice(0, whole.length - 1));
        expect(tornBytes).toBe(bytes.length - (whole.at(-1) ?? 0));
      }
    }
    const { journal, cutBytes } = opened(journalPath());
    expect(cutBytes).toBeGreaterThan(0);
    await journal.append(event(9));
    journal.close();
    expect(loaded(journalPath()).tornBytes).toBe(0);
  });

  it('is refused if a later record says that the missing one was synced', async () => {
    await writeGroup();
    const { journal } = opened(journalPath());
    await journal.append(event(9));
    journal.close();
    const bytes = fs.readFileSync(journalPath());
    const sector = Math.ceil((lineEnds(bytes)[3] ?? 0) / SECTOR) * SECTOR;
    bytes.fill(0, sector, sector + SECTOR);
    expect(damageOf(bytes)).toMatchObject({ type: 'damaged-record', wholeAgainAt: 6 });
  });

  it('is refused if the bytes are not those of an unwritten sector', async () => {
    const { bytes, syncedBytes } = await writeGroup();
    const sector = Math.ceil(syncedBytes / SECTOR) * SECTOR;
    for (const [from, to] of [
      [sector + 1, sector + SECTOR],
      [sector, sector + SECTOR - 1],
      [sector + 7, sector + 8],
    ]) {
      const changed = Buffer.from(bytes);
      changed.fill(0, from, to);
      expect(damageOf(changed).type).toBe('damaged-record');
    }
    const changed = Buffer.from(bytes);
    changed.fill(33, sector, sector + SECTOR);
    expect(damageOf(changed).type).toBe('damaged-record');
  });
});

describe('a damaged journal', () => {
  it('never returns a record that was not written, whichever byte is changed', async () => {
    await write(SAMPLE);
    const whole = fs.readFileSync(journalPath());
    const ends = lineEnds(whole);
    for (let at = 0; at < whole.length; at += 1) {
      for (const mask of [0x01, 0x20, 0x80, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ mask;
        fs.writeFileSync(journalPath(), changed);
        const result = readJournal(journalPath());
        const line = ends.findIndex((end) => at < end);
        if (result.type === 'error') {
          expect(result.error.line).toBe(line + 1);
          continue;
        }
        // The newline before an intact record is damage too: only the last line can pass for a torn tail.
        expect(line).toBe(ends.length - 1);
        expect(result.value.events).toEqual(SAMPLE.slice(0, line - 1));
        expect(result.value.tornBytes).toBeGreaterThan(0);
      }
    }
  });

  it('reports which line is damaged and what comes before it', async () => {
    await write(SAMPLE);
    const bytes = fs.readFileSync(journalPath());
    const ends = lineEnds(bytes);
    bytes[(ends[1] ?? 0) + 12] = 0x21;
    expect(damageOf(bytes)).toEqual({
      type: 'damaged-record',
      path: journalPath(),
      line: 3,
      offset: ends[1],
      wholeAgainAt: 4,
      recordsBefore: 1,
      message: `line 3 of the journal \`${journalPath()}\` (byte ${ends[1]}) is damaged; the records before it (1) and those from line 4 on are intact`,
    });
  });

  it.each([
    ['missing', [1, 3]],
    ['there twice', [1, 2, 2, 3]],
    ['not the first', [2, 3]],
  ])('is refused when a record is %s', (_, numbers) => {
    const lines = numbers.map((n) => encodeRecord(event(n), n, 0)).join('');
    expect(damageOf(Buffer.concat([HEADER, Buffer.from(lines)]))).toMatchObject({ type: 'wrong-sequence' });
  });

  it('of a later format version is refused, naming the version', () => {
    const header = encodeHeader('{"format":"orchestrate-journal","version":2,"compression":"none"');
    const damage = damageOf(Buffer.from(`${header}anything in version 2\n`));
    expect(damage).toMatchObject({ type: 'unsupported-version', version: 2, line: 1, offset: 0 });
    expect(damage.message).toContain('format version 2, but this program reads version 1');
  });

  it.each(['not JSON at all\n', '{"some":"json"}\n', 'no newline', '\n', '[]\n'])(
    'that is another file (%j) is refused and not changed',
    (text) => {
      expect(damageOf(Buffer.from(text)).type).toBe('not-a-journal');
    },
  );

  it('that has a damaged header is refused', () => {
    const bytes = Buffer.concat([HEADER, Buffer.from(encodeRecord(event(1), 1, 0))]);
    bytes[4] = 0x21;
    expect(damageOf(bytes).type).toBe('damaged-header');
  });

  it('that is missing is reported with the code of the system', () => {
    expect(readJournal(journalPath())).toMatchObject({
      type: 'error',
      error: { type: 'file-error', code: 'ENOENT' },
    });
    expect(openJournal(journalPath(), { visit() {} })).toMatchObject({
      type: 'error',
      error: { type: 'file-error', code: 'ENOENT' },
    });
  });
});

it('reads the journals of every format version ever written', () => {
  const { events, tornBytes } = loaded(new URL('../journals/version-1.jsonl', import.meta.url).pathname);
  expect(tornBytes).toBe(0);
  expect(events.map((each) => each.type)).toEqual([
    'run-started',
    'step-started',
    'process-started',
    'attempt-ended',
    'step-ended',
    'sleep-started',
    'sleep-ended',
    'question-asked',
    'question-answered',
    'time-read',
    'run-resumed',
    'run-ended',
  ]);
  expect(events[4]).toEqual({
    type: 'step-ended',
    at: '2026-01-31T12:00:05.000Z',
    key: 'Build',
    effect: 'run-command',
    attempts: 2,
    startedAt: '2026-01-31T12:00:01.000Z',
    durationMs: 4000,
    output: { exitCode: 0, outcome: 'done', capture: 'text', output: 'grüße €\n' },
  });
});

function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) ends.push(at + 1);
  return ends;
}

function encodeHeader(body: string): string {
  return `${body},"crc":"${crcOf(body)}"}\n`;
}

function crcOf(body: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(body)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
