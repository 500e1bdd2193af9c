import { expect, test } from 'vitest';
import { StateFold } from '../../src/engine/fold-state.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { renderRun } from '../../src/report/render-run.ts';
import { asked, at, BEGIN, began, ended, noted, runEnded, runStarted } from './events.ts';
import { SAMPLE } from './sample-run.ts';

function stateOf(events: readonly JournalEvent[]): RunState {
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  if (fold.state === undefined) throw new Error('no state');
  return fold.state;
}

function shown(events: readonly JournalEvent[], options: { isAlive?: boolean; all?: boolean } = {}): string {
  return renderRun(stateOf(events), {
    color: false,
    now: BEGIN + 10_000,
    isAlive: options.isAlive ?? false,
    all: options.all ?? false,
  });
}

test('a failed run is a tree of steps with marks, times, costs, reasons and what to type next', () => {
  expect(shown(SAMPLE)).toBe(`20260131T120000Z-abc123  failed
  workflow ship <b>it</b> (workflows/ship.yaml)
  started 2026-01-31 12:00:00 UTC, took 7.0 s, 6 steps: 4 done, 1 failed, 1 skipped
  $0.2600 + 1 call of unknown cost, 3 agent calls, 12,000 tokens in, 800 out + 2 calls of unknown use

✓ Plan      4.0 s  $0.2500  2 attempts
    → succeeded; continuing at \`Build\`
✗ Build     1.5 s  1 of 2 items
    branch \`Build/1\`: the command ended with exit code 1
  [0] a.task
    ✓ Make  1.0 s
  [1] b|<i>.task
    ✗ Make  500 ms
        the command ended with exit code 1
        | warning: x
        | error: \`\`\` <script>
✓ Side      1.0 s
  left:
    ✓ Lint  100 ms
  right:
    ✓ Ask   1.0 s  cost unknown
○ Deploy    skipped
    → skipped: \`a\` is not \`b\`

to see why:   orchestrate explain 20260131T120000Z-abc123 Build
to continue:  orchestrate resume 20260131T120000Z-abc123
`);
});

test('a waiting run shows the question, when it expires, and a command for every choice', () => {
  const question = { message: 'Ship?', choices: ['yes', "don't"], expiresAt: at(70_000), default: 'yes' };
  expect(
    shown([runStarted(), asked('Gate', 5, question), runEnded(10, 'waiting')]),
  ).toBe(`20260131T120000Z-abc123  waiting
  workflow ship
  started 2026-01-31 12:00:00 UTC, took 10 ms

no step has started

Gate asks: Ship?
  expires at 12:01:10 UTC (in 1 min 00 s), then \`yes\` is used
  orchestrate approve 20260131T120000Z-abc123 Gate --choose yes
  orchestrate approve 20260131T120000Z-abc123 Gate --choose 'don'\\''t'

to continue:  orchestrate resume 20260131T120000Z-abc123
`);
});

test('a run whose process has ended is shown as interrupted, one whose process is alive as running', () => {
  const events = [
    runStarted(),
    began('A', 1000, { repeated: true, attempt: 2 }),
    { type: 'sleep-started', at: at(2000), key: 'A' as never, until: at(40_000) } as const,
  ];
  expect(shown(events)).toBe(`20260131T120000Z-abc123  interrupted (process ended)
  workflow ship
  started 2026-01-31 12:00:00 UTC, took 2.0 s

▶ A  since 12:00:01 UTC  waiting until 12:00:40 UTC (in 30.0 s)  2 attempts  restarted

to continue:  orchestrate resume 20260131T120000Z-abc123
`);
  expect(shown(events, { isAlive: true })).toContain('running\n');
  expect(shown(events, { isAlive: true })).not.toContain('resume');
});

test('a long loop shows only failed items and the last one, unless all are requested', () => {
  const events: JournalEvent[] = [
    runStarted(),
    noted('Loop@container', 0, {
      type: 'container',
      kind: 'for-each',
      items: Array.from({ length: 40 }, (_, i) => i),
    }),
  ];
  for (let i = 0; i < 40; i += 1) {
    const failure = { type: 'timed-out', afterMs: 5000 } as const;
    events.push(began(`Loop/${i}/A`, i), ended(`Loop/${i}/A`, [i, i], i === 7 ? { failure } : {}));
  }
  const tree = shown(events).split('\n').slice(5, -3);
  expect(tree).toEqual([
    '  … 7 completed items (show with --all)',
    '  [7] 7',
    '    ✗ A  0 ms',
    '        timed out after 5 s',
    '  … 31 completed items (show with --all)',
    '  [39] 39',
    '    ✓ A  0 ms',
  ]);
  expect(shown(events, { all: true }).match(/✓ A/g)).toHaveLength(39);
});

test('a run of hundreds of thousands of steps can be shown in full', () => {
  const count = 150_000;
  const run = stateOf([runStarted('large')]);
  for (let index = 0; index < count; index += 1) run.steps[`S${index}`] = { status: 'completed' };
  const text = renderRun(run, { color: false, now: BEGIN, isAlive: false, all: true });
  expect(text.split('\n').filter((line) => line.startsWith('✓ S'))).toHaveLength(count);
});
