import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { decodeRecord, encodeRecord } from '../../src/store/journal-format.ts';
import { type Detail, scanEvent } from '../../src/store/journal-scan.ts';

const AT = '2026-03-01T10:00:00.123Z';

function decoded(event: object, detail: Detail): JournalEvent | undefined {
  const line = Buffer.from(encodeRecord(event as JournalEvent, 7, 3));
  const record = decodeRecord(line, { start: 0, end: line.length - 1 }, detail);
  expect(record).toMatchObject({ seq: 7, synced: 3 });
  return record?.event;
}

/** Whether it was read without parsing all of it. */
function isScanned(event: object, detail: Detail): boolean {
  const members = Buffer.from(JSON.stringify(event).slice(1, -1));
  return scanEvent(members, { start: 0, end: members.length }, detail) !== undefined;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'Loop/3/Fix#2@record',
    'a"b',
    '\\',
    '","key":"x',
    '{"spent":1}',
    'zeilen\n',
    'run-agent',
    '',
  ),
);
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  text,
);
const number = fc.oneof(fc.nat(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const known = fc.constantFrom('run-command', 'note', 'run-agent', 'run-tool', 'check-proof');
const effect = fc.oneof(known, text);
const output = fc.oneof(
  fc.jsonValue(),
  fc.record({ note: fc.record({ type: fc.constant('item-completed'), index: number }) }),
  fc.record(
    {
      exitCode: number,
      outcome: text,
      output: text,
      failure: fc.jsonValue(),
      spent: fc.jsonValue(),
      debug: fc.record({ spent: fc.constant(1) }),
    },
    { requiredKeys: ['exitCode', 'outcome'] },
  ),
);
const more = fc.record(
  { spentBefore: fc.jsonValue(), stopped: fc.constant(true), atStop: fc.constant(true) },
  { requiredKeys: [] },
);

const stepEnded = fc
  .record({
    at: time,
    key: text,
    effect,
    attempts: number,
    startedAt: time,
    durationMs: number,
    output,
    more,
  })
  .map(({ more: rest, ...event }) => ({ type: 'step-ended' as const, ...event, ...rest }));
const stepStarted = fc
  .record({
    at: time,
    key: text,
    effect,
    attempt: number,
    input: fc.jsonValue(),
    again: fc.constantFrom({}, { repeated: true }, { again: 'repeated' }, { again: 'attached' }),
  })
  .map(({ again, ...event }) => ({
    type: 'step-started' as const,
    ...event,
    ...again,
  }));
const processStarted = fc
  .record({ at: time, key: text, pid: number, startTime: text })
  .map((event) => ({ type: 'process-started' as const, ...event }));
const branchEnded = fc
  .record({ at: time, key: text, more })
  .map(({ more: rest, ...event }) => ({ type: 'branch-ended' as const, ...event, ...rest }));

/** As JSON has it: -0 is 0, and nothing is undefined. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

describe('a record that is read by its layout', () => {
  it('is the same event as the one that was written', () => {
    fc.assert(
      fc.property(fc.oneof(stepEnded, stepStarted, processStarted, branchEnded), (event) => {
        expect(decoded(event, 'full')).toEqual(plain(event));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves out the input of a step, except that of an agent call', () => {
    fc.assert(
      fc.property(stepStarted, (event) => {
        const found = decoded(event, 'essential');
        const isLeftOut = isScanned(event, 'essential');
        expect(found).toEqual(plain(isLeftOut ? { ...event, input: null } : event));
        if (event.effect === 'run-agent') expect(isLeftOut).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves out the start of a process only for views', () => {
    const event = { type: 'process-started', at: AT, key: 'Build', pid: 12, startTime: '74236' };
    expect(decoded(event, 'essential')).toEqual(event);
    expect(decoded(event, 'shown')).toBeUndefined();
    expect(decoded(event, 'indexed')).toBeUndefined();
  });

  it('keeps the whole output for the index if it has a failure or a cost, at any depth', () => {
    fc.assert(
      fc.property(stepEnded, (event) => {
        const found = decoded(event, 'indexed');
        const whole = plain(event);
        const written = JSON.stringify(event.output);
        const mayBeReduced = !written.includes('"failure":') && !written.includes('"spent":');
        if (event.effect === 'note' || event.effect === 'run-agent' || !mayBeReduced) {
          expect(found).toEqual(whole);
          return;
        }
        const { exitCode, outcome } = (whole.output ?? {}) as { exitCode?: number; outcome?: string };
        expect([whole, { ...whole, output: { exitCode, outcome } }]).toContainEqual(found);
      }),
      { numRuns: 2000 },
    );
  });

  it('covers the records that the program writes most', () => {
    const key = 'Each/3/One';
    const ended = { type: 'step-ended', at: AT, key, effect: 'run-command', attempts: 1, startedAt: AT };
    const work = { exitCode: 0, outcome: 'done', capture: 'text', output: 'grün\n', truncated: false };
    expect(isScanned({ ...ended, durationMs: 2, output: work }, 'full')).toBe(true);
    expect(decoded({ ...ended, durationMs: 2, output: work }, 'indexed')).toEqual({
      ...{ ...ended, durationMs: 2 },
      output: { exitCode: 0, outcome: 'done' },
    });
    const done = { note: { type: 'item-completed', index: 3 } };
    expect(isScanned({ ...ended, effect: 'note', durationMs: 0, output: done }, 'full')).toBe(true);
    const started = { type: 'step-started', at: AT, key, effect: 'run-command', attempt: 1 };
    expect(isScanned({ ...started, input: { argv: ['true'], capture: 'text' } }, 'essential')).toBe(true);
    const process = { type: 'process-started', at: AT, key, pid: 12, startTime: '74236' };
    expect(isScanned(process, 'essential')).toBe(true);
    expect(isScanned({ type: 'branch-ended', at: AT, key: 'Each/3' }, 'full')).toBe(true);
  });
});
