import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { StateFold } from '../../src/engine/fold-state.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import { type ReportFormat, renderReport } from '../../src/report/render-report.ts';
import { flowOf } from '../../src/report/run-report/flow.ts';
import { timelineOf } from '../../src/report/run-report/timeline.ts';
import { asked, at, BEGIN, began, ended, noted, runEnded, runStarted } from './events.ts';
import { SAMPLE } from './sample-run.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

function report(events: readonly JournalEvent[], format: ReportFormat): string {
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  if (fold.state === undefined) throw new Error('no state');
  return renderReport({ state: fold.state, events, isAlive: false, now: BEGIN + 10_000 }, format);
}

test.each(['md', 'html', 'json'] as const)('the %s report of a run matches its file', async (format) => {
  await expect(report(SAMPLE, format)).toMatchFileSnapshot(
    path.join(here, 'reports', `sample.${format}.out`),
  );
});

test('text from a run never becomes markup', () => {
  const evil = '</pre></title><script>alert(1)</script><img src=x onerror="x">\'&';
  const failure = { type: 'internal-error', message: evil } as const;
  const html = report(
    [
      runStarted(evil, { workflow_file: evil }),
      began('A', 0),
      ended('A', [0, 1], { failure, output: { stderrTail: evil, artifacts: [evil] } }),
      noted('A@why', 1, { type: 'decision', message: evil }),
      asked('B', 2, { message: evil, choices: [evil] }),
      runEnded(3, 'failed', { failure }),
    ],
    'html',
  );
  expect(html).not.toMatch(/<script|<img|onerror="/);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('a page contains no script and fetches nothing', () => {
  const html = report(SAMPLE, 'html');
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(html).not.toMatch(/<script|<link|src=|@import|url\((?!#head)/);
});

test('the flow counts how often each arrow was taken, and keeps loops and branches inside their step', () => {
  const events: JournalEvent[] = [runStarted()];
  for (const key of ['Test', 'Fix', 'Test#2', 'Fix#2', 'Test#3', 'Done'])
    events.push(began(key, 0), ended(key, [0, 1]));
  events.push(noted('Each@container', 2, { type: 'container', kind: 'for-each', items: [1, 2] }));
  for (const i of [0, 1])
    for (const key of ['A', 'B'])
      events.push(began(`Each/${i}/${key}`, 2), ended(`Each/${i}/${key}`, [2, 3]));
  const flow = flowOf(events);
  expect(flow.edges).toEqual([
    { from: 'Test', to: 'Fix', count: 2 },
    { from: 'Fix', to: 'Test', count: 2 },
    { from: 'Test', to: 'Done', count: 1 },
    { from: 'Done', to: 'Each', count: 1 },
    { from: 'Each/A', to: 'Each/B', count: 2 },
  ]);
  expect(flow.nodes.map(({ id, parent, completed }) => [id, parent, completed])).toEqual([
    ['Test', '', 3],
    ['Fix', '', 2],
    ['Done', '', 1],
    ['Each', '', 0],
    ['Each/A', 'Each', 2],
    ['Each/B', 'Each', 2],
  ]);
});

test('the timeline shows work interrupted by a crash separately from its repetition', () => {
  const spans = timelineOf(
    [
      runStarted(),
      began('A', 10),
      asked('Gate', 20, { message: '?', choices: ['yes'] }),
      { type: 'run-resumed', at: at(500) },
      began('A', 510, { repeated: true }),
      ended('A', [10, 600]),
    ],
    at(900),
  );
  expect(spans.map(({ key, status, started_at, ended_at }) => [key, status, started_at, ended_at])).toEqual([
    ['A', 'cut-off', at(10), at(20)],
    ['Gate', 'running', at(20), at(900)],
    ['A', 'completed', at(510), at(600)],
  ]);
});

test('a report of ten thousand steps stays readable and says how much it omits', () => {
  const events: JournalEvent[] = [
    runStarted(),
    noted('Loop@container', 0, {
      type: 'container',
      kind: 'for-each',
      items: Array.from({ length: 10_000 }, (_, i) => i),
    }),
  ];
  for (let i = 0; i < 10_000; i += 1)
    events.push(began(`Loop/${i}/A`, i), ended(`Loop/${i}/A`, [i, i + 1 + (i % 97)]));
  const md = report(events, 'md');
  expect(md).toContain('9701 more steps are not shown.');
  expect(md).toContain('The 60 longest are shown; 9940 shorter ones are omitted.');
  expect(md.split('\n').length).toBeLessThan(500);
  expect(md).toContain('["A ✓ 10000"]');
});

test.each(['md', 'html'] as const)('the %s report shows only the first of very many failures', (format) => {
  const failure = { type: 'exit-code', exitCode: 1 } as const;
  const steps = Array.from({ length: 130 }, (_, index) => `S${index}`);
  const text = report(
    [
      runStarted('many'),
      ...steps.flatMap((step, index) => [began(step, index), ended(step, [index, index + 1], { failure })]),
      runEnded(200, 'failed', { failure }),
    ],
    format,
  );
  expect(text.match(/(?:###|<h3>)/g)).toHaveLength(100);
  expect(text).toContain('30 more failures are not shown.');
});
