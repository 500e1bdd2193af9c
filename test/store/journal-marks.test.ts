import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { stepKey } from '../../src/model/ids.ts';
import {
  createJournal,
  type JournalMark,
  openMarkedJournal,
  readFirstRecord,
  visitJournal,
} from '../../src/store/journal-file.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { AT, event, loaded, SAMPLE } from './journal-rig.ts';

const folder = folderForEach();
const journalPath = () => join(folder.path, 'journal.jsonl');

async function write(events: readonly JournalEvent[]): Promise<void> {
  const journal = createJournal(journalPath());
  for (const each of events) await journal.append(each);
  journal.close();
}

function markRead(): JournalMark | undefined {
  const read = visitJournal(journalPath(), { visit() {} });
  if (read.type === 'error') throw new Error(read.error.message);
  return read.value.mark;
}

describe('a journal that was read before it is owned', () => {
  it('is continued without being read again if it is exactly what was read', async () => {
    await write(SAMPLE);
    const mark = markRead();
    if (mark === undefined) throw new Error('expected a mark');
    const journal = openMarkedJournal(journalPath(), mark);
    expect(journal?.mark).toEqual(mark);
    await journal?.append(event(4));
    journal?.close();
    expect(loaded(journalPath()).events).toEqual([...SAMPLE, event(4)]);
    expect(journal?.mark).toEqual(markRead());
  });

  it('is read again if a record was added or a byte was changed since', async () => {
    await write(SAMPLE);
    const mark = markRead();
    if (mark === undefined) throw new Error('expected a mark');
    const bytes = fs.readFileSync(journalPath());
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      fs.writeFileSync(journalPath(), changed);
      expect(openMarkedJournal(journalPath(), mark)).toBeUndefined();
    }
    fs.writeFileSync(journalPath(), Buffer.concat([bytes, Buffer.from('x')]));
    expect(openMarkedJournal(journalPath(), mark)).toBeUndefined();
    fs.rmSync(journalPath());
    expect(openMarkedJournal(journalPath(), mark)).toBeUndefined();
  });

  it('has no mark while its tail is torn, since the owner removes the tail', async () => {
    await write(SAMPLE);
    fs.appendFileSync(journalPath(), '{"seq":4');
    expect(markRead()).toBeUndefined();
  });

  it('has the same mark wherever the reads end', async () => {
    const long = { ...event(1), key: stepKey('Build', 'x'.repeat(30_000)) };
    await write(Array.from({ length: 80 }, () => long));
    const mark = markRead();
    expect(mark).toMatchObject({ bytes: fs.statSync(journalPath()).size, records: 80 });
    const journal = mark === undefined ? undefined : openMarkedJournal(journalPath(), mark);
    expect(journal?.mark).toEqual(mark);
    journal?.close();
  });
});

describe('a reader that needs only what is essential', () => {
  it.each([
    ['a command', { argv: ['echo', ',"input":{"a":1}', '"}'] }, {}],
    ['nested input', { input: { input: [{ repeated: true }] } }, {}],
    ['a repeated step', { prompt: ',"repeated":true' }, { repeated: true }],
    ['a step of an older journal', { prompt: ',"again":"repeated"' }, { repeated: true }],
    ['a repeated step of a newer one', { prompt: ',"repeated":true' }, { again: 'repeated' as const }],
    ['a step that still runs', {}, { again: 'attached' as const }],
    ['a text that looks like a repeated step', ',"again":"repeated"', {}],
    ['a number', 1, { repeated: true }],
  ])('gets every event without the inputs of steps: %s', async (_, input, more) => {
    const started: JournalEvent = {
      ...{ type: 'step-started', at: AT, key: stepKey('Build#2@ask') },
      ...{ effect: 'run-command', attempt: 3, input, ...more },
    } as JournalEvent;
    await write([started, ...SAMPLE]);
    const events: JournalEvent[] = [];
    visitJournal(journalPath(), { visit: (each) => events.push(each), detail: 'essential' });
    expect(events).toEqual([{ ...started, input: null }, ...SAMPLE]);
  });

  it('keeps the inputs of agent calls', async () => {
    const started: JournalEvent = {
      ...{ type: 'step-started', at: AT, key: stepKey('Ask'), effect: 'run-agent' },
      ...{ attempt: 1, input: { agent: 'mock', prompt: 'é' }, repeated: true },
    };
    await write([started]);
    const events: JournalEvent[] = [];
    visitJournal(journalPath(), { visit: (each) => events.push(each), detail: 'essential' });
    expect(events).toEqual([started]);
  });

  it('of what is shown gets no starts of processes, and the same mark', async () => {
    const started: JournalEvent = {
      ...{ type: 'process-started', at: AT, key: stepKey('Ask'), pid: 7, startTime: '1' },
    };
    await write([started, ...SAMPLE, started]);
    const events: JournalEvent[] = [];
    const shown = visitJournal(journalPath(), { visit: (each) => events.push(each), detail: 'shown' });
    expect(events).toEqual(SAMPLE.filter(({ type }) => type !== 'process-started'));
    expect(shown).toEqual(visitJournal(journalPath(), { visit() {} }));
  });
});

describe('the first record', () => {
  it('is read whatever follows it, however long it is', async () => {
    const first: JournalEvent = {
      ...{ type: 'sleep-started', at: AT, key: stepKey('Wait'), until: 'x'.repeat(300_000) },
    };
    await write([first, event(2)]);
    fs.appendFileSync(journalPath(), 'noise\n');
    expect(readFirstRecord(journalPath())).toEqual(first);
  });

  it('is missing if it is torn or damaged, or the file is not a journal', async () => {
    await write([event(1)]);
    const bytes = fs.readFileSync(journalPath());
    fs.writeFileSync(journalPath(), bytes.subarray(0, -1));
    expect(readFirstRecord(journalPath())).toBeUndefined();
    for (const at of [3, bytes.length - 20]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      fs.writeFileSync(journalPath(), changed);
      expect(readFirstRecord(journalPath())).toBeUndefined();
    }
    fs.rmSync(journalPath());
    expect(readFirstRecord(journalPath())).toBeUndefined();
  });
});
