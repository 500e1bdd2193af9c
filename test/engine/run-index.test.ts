import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunIndex } from '../../src/engine/run-index.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { RunId, StepKey } from '../../src/model/ids.ts';
import type { Note } from '../../src/model/note.ts';
import { decodeRecord, encodeRecord } from '../../src/store/journal-format.ts';
import type { Detail } from '../../src/store/journal-scan.ts';

const AT = '2026-03-01T10:00:00.000Z';

const begun: JournalEvent = {
  ...{ type: 'run-started', at: AT, runId: '20260301T100000Z-abcdef' as RunId, kind: 'workflow' },
  ...{ title: 'x', program: 'workflow', input: null, workspace: '/', facts: {} },
};

function noted(key: string, note: Note): JournalEvent {
  const times = { at: AT, startedAt: AT, durationMs: 0, attempts: 1 };
  return { type: 'step-ended', key: key as StepKey, effect: 'note', output: { note }, ...times } as never;
}

function container(
  key: string,
  kind: 'for-each' | 'parallel' | 'graph' | 'repeat',
  items?: number[],
): JournalEvent {
  return noted(`${key}@container`, { type: 'container', kind, ...(items === undefined ? {} : { items }) });
}

function started(key: string, attempt = 1): JournalEvent {
  const call = { effect: 'run-command', attempt, input: { argv: ['true'] } };
  return { type: 'step-started', at: AT, key: key as StepKey, ...call };
}

function ended(key: string, failure?: object): JournalEvent {
  const output = { exitCode: failure === undefined ? 0 : 1, outcome: 'done', output: 'x', ...{ failure } };
  return {
    ...{ type: 'step-ended', at: AT, key: key as StepKey, effect: 'run-command', attempts: 1 },
    ...{ startedAt: AT, durationMs: 3, output: JSON.parse(JSON.stringify(output)) },
  };
}

function indexOf(events: readonly JournalEvent[], detail: Detail = 'indexed'): RunIndex {
  const index = new RunIndex();
  for (const [at, event] of [begun, ...events].entries()) {
    const line = Buffer.from(encodeRecord(event, at + 1, at));
    const record = decodeRecord(line, { start: 0, end: line.length - 1 }, detail);
    if (record?.event !== undefined) index.apply(record.event, { seq: at + 1, offset: at * 100 });
  }
  return index;
}

/** `key kind status parent`. */
function shown(index: RunIndex): readonly string[] {
  return index.rows.map(({ key, kind, status, parent }) => `${key} ${kind} ${status} ${parent?.key ?? '-'}`);
}

const CONTAINERS = [
  container('Each', 'for-each', [10, 11, 12, 13, 14]),
  container('Par', 'parallel'),
  container('G', 'graph'),
  container('Each/1/Inner', 'for-each', [1, 2, 3]),
  container('Again', 'repeat'),
];
const KEYS = [
  ...['Top', 'Top#2', 'Each/0/A', 'Each/0/B', 'Each/1/A', 'Each/2/A', 'Each/3/A#2', 'Each/4/A'],
  ...[
    'Each/1/Inner/0/C',
    'Each/1/Inner/2/C',
    'Par/a/D',
    'Par/b/D',
    'G/E/E',
    'G/F/F',
    'Again/0/H',
    'Again/1/H',
  ],
];

function parentOf(key: string): string {
  if (key.startsWith('G/')) return 'G';
  const slash = key.lastIndexOf('/');
  return slash === -1 ? '-' : key.slice(0, slash);
}

describe('the index of a run', () => {
  it('has one row for every step, item and branch, each in its place, whatever the order of the records', () => {
    const order = fc.shuffledSubarray([...KEYS, ...KEYS]);
    fc.assert(
      fc.property(order, (keys) => {
        const index = indexOf([...CONTAINERS, ...keys.flatMap((key) => [started(key), ended(key)])]);
        expect(new Set(index.rows.map(({ key }) => key)).size).toBe(index.rows.length);
        for (const key of keys) expect(index.rows.map((row) => row.key)).toContain(key);
        for (const row of index.rows) {
          expect(index.row(row.key)).toBe(row);
          expect(row.parent?.key ?? '-').toBe(parentOf(row.key));
          expect((row.parent?.children ?? index.roots)[row.place]).toBe(row);
          if (row.kind === 'item' && row.parent?.key === 'Each') expect(row.item).toBe(`1${row.name}`);
        }
        expect(index.row('Each/9')).toBeUndefined();
        expect(index.row('Each/0/Z')).toBeUndefined();
      }),
    );
  });

  it('finds each of many visits in one item', () => {
    const keys = Array.from({ length: 40 }, (_, visit) =>
      visit === 0 ? 'Each/0/A' : `Each/0/A#${visit + 1}`,
    );
    const index = indexOf([
      container('Each', 'for-each', [1]),
      ...keys.flatMap((key) => [started(key), ended(key)]),
    ]);
    expect(index.row('Each/0')?.children.map(({ visit }) => visit)).toEqual(keys.map((_, at) => at + 1));
    for (const key of keys) expect(index.row(key)?.key).toBe(key);
  });

  it('is the same with everything that was recorded and with only what it needs', () => {
    const failure = { type: 'exit-code', exitCode: 1 };
    const events = [
      ...[container('Each', 'for-each', [1, 2]), started('Each/0/A'), ended('Each/0/A')],
      noted('Each/0/item@done', { type: 'item-completed', index: 0 }),
      ...[started('Each/1/A'), ended('Each/1/A', failure), started('Each/1/A', 2), ended('Each/1/A')],
      noted('Each/1/item@done', { type: 'item-completed', index: 1 }),
    ];
    const rows = (detail: Detail): unknown => indexOf(events, detail).rows.map((row) => ({ ...row }));
    expect(rows('indexed')).toEqual(rows('full'));
    expect(indexOf(events).row('Each')).toMatchObject({ items: 2, itemsDone: 2 });
  });

  it('ends what is open in a branch that was stopped, and nothing else', () => {
    const stop = (key: string): JournalEvent => ({ type: 'branch-stopped', at: AT, key: key as StepKey });
    const events = [
      ...[container('Par', 'parallel'), started('Par/a/D'), started('Par/b/D'), stop('Par/a')],
      ...[container('G', 'graph'), started('G/E/E'), started('G/F/F'), stop('G/F'), stop('Unknown/x')],
    ];
    expect(shown(indexOf(events))).toEqual([
      'Par parallel running -',
      'Par/a branch cancelled Par',
      'Par/a/D command cancelled Par/a',
      'Par/b branch running Par',
      'Par/b/D command running Par/b',
      'G graph running -',
      'G/E/E command running G',
      'G/F/F command cancelled G',
    ]);
  });

  it('ends everything open when the process ends, and containers run again when the run is resumed', () => {
    const events: JournalEvent[] = [
      ...[container('Each', 'for-each', [1]), started('Each/0/A')],
      { type: 'run-ended', at: AT, status: 'interrupted' },
    ];
    expect(shown(indexOf(events))).toEqual([
      'Each for-each interrupted -',
      'Each/0 item interrupted Each',
      'Each/0/A command interrupted Each/0',
    ]);
    expect(shown(indexOf([...events, { type: 'run-resumed', at: AT }]))[0]).toBe('Each for-each running -');
  });
});
