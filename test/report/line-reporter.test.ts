import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { createReporter, type ReportLevel } from '../../src/report/create-reporter.ts';
import { asked, at, began, EXIT_1, ended, noted, runEnded, runStarted, seen } from './events.ts';

function report(events: readonly RunEvent[], level: ReportLevel = 'progress'): { out: string; err: string } {
  const written = { out: '', err: '' };
  const reporter = createReporter({
    level,
    terminal: { isTerminal: false, columns: () => 80 },
    color: false,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  for (const event of events) reporter.event(event);
  reporter.close();
  return written;
}

test('a successful run is one line per start and end, and a summary', () => {
  const { err, out } = report([
    runStarted(),
    began('Plan', 0, { effect: 'run-agent' }),
    ended('Plan', [0, 1234], { effect: 'run-agent', output: { spent: { costUsd: 0.0123 } } }),
    began('Build', 1300),
    ended('Build', [1300, 1340]),
    noted('Deploy@record', 1400, {
      type: 'record',
      record: { status: 'skipped', durationMs: 0, attempts: 0 },
    }),
    noted('Deploy@why', 1400, { type: 'decision', message: 'skipped: `a` is not `b`' }),
    runEnded(65_000, 'completed'),
  ]);
  expect(out).toBe('');
  expect(err).toBe(`● run 20260131T120000Z-abc123 started: ship
▶ Plan
✓ Plan  1.2 s  $0.0123
▶ Build
✓ Build  40 ms
○ Deploy  skipped: \`a\` is not \`b\`
✓ completed  3 steps: 2 done, 1 skipped  1 min 05 s  $0.0123
`);
});

test('retries and usage limits show the reason and the time of the next attempt', () => {
  const { err } = report([
    runStarted(),
    began('Ask', 0, { effect: 'run-agent' }),
    {
      type: 'attempt-ended',
      at: at(1000),
      key: 'Ask' as never,
      attempt: 1,
      failure: { type: 'agent', outcome: { type: 'overloaded', status: 529, message: 'busy' } },
      counted: true,
      nextAt: at(3000),
    },
    began('Ask', 3000, { effect: 'run-agent', attempt: 2 }),
    {
      type: 'attempt-ended',
      at: at(4000),
      key: 'Ask' as never,
      attempt: 2,
      failure: {
        type: 'agent',
        outcome: { type: 'rate-limited', resetsAt: at(3_604_000), message: 'limit' },
      },
      counted: false,
      nextAt: at(86_404_000),
      spent: { costUsd: null },
    },
  ]);
  expect(err).toBe(`● run 20260131T120000Z-abc123 started: ship
▶ Ask
↻ Ask  attempt 1 failed: the model is overloaded (HTTP 529): busy; retrying at 12:00:03 UTC (in 2.0 s)
▶ Ask  attempt 2
… Ask  the agent's usage limit was reached; it resets at 2026-01-31T13:00:04.000Z; waiting until 2026-02-01 12:00:04 UTC (in 24 h 00 min)
`);
});

test('a failed run shows which steps failed, why, their last output and how to continue', () => {
  const failure = { type: 'branches-failed', causes: [{ branch: 'Loop/1', message: 'x' }] } as const;
  const { err } = report([
    runStarted(),
    noted('Loop@container', 0, { type: 'container', kind: 'for-each', items: ['a', 'b'] }),
    began('Loop/0/Compile', 0),
    ended('Loop/0/Compile', [0, 10]),
    noted('Loop/0/item@done', 10, { type: 'item-completed', index: 0 }),
    began('Loop/1/Compile', 20),
    ended('Loop/1/Compile', [20, 30], {
      failure: EXIT_1,
      output: { stderrTail: 'one\n\u001b[31mtwo\u001b[0m\u001b]0;title\u0007\nthree\n' },
    }),
    noted('Loop@record', 30, {
      type: 'record',
      record: { status: 'failed', failure, durationMs: 30, attempts: 1 },
    }),
    runEnded(40, 'failed', {
      failure,
      output: { failedStep: 'Loop', retryKeys: ['Loop/1/Compile', 'Loop@ended'] },
    }),
  ]);
  expect(err).toBe(`● run 20260131T120000Z-abc123 started: ship
▶ Loop  2 items
▶ Loop/0/Compile [a]
✓ Loop/0/Compile [a]  10 ms
· Loop/0 [a]  1 of 2 items done
▶ Loop/1/Compile [b]
✗ Loop/1/Compile [b]  10 ms  the command ended with exit code 1
✗ Loop  30 ms  branch \`Loop/1\`: x
✗ failed  2 steps: 1 done, 1 failed  40 ms
  Loop/1/Compile [b]: the command ended with exit code 1
    | one
    | two
    | three
    full output: orchestrate logs 20260131T120000Z-abc123 Loop/1/Compile --stderr
  to continue: orchestrate resume 20260131T120000Z-abc123
`);
});

test('a waiting run of workers continues by itself when it is answered', () => {
  const { err } = report([
    runStarted('ship', { engine: 'dbos' }),
    asked('Gate', 5, { message: 'Ship it?', choices: ['yes'] }),
    runEnded(10, 'waiting'),
  ]);
  expect(err).toContain('  Gate: Ship it?\n');
  expect(err).not.toContain('orchestrate resume');
});

test('a waiting run shows the question and a command for every choice', () => {
  const { err } = report(
    [
      runStarted(),
      asked('Gate', 5, { message: 'Ship \u001b[2Jit?', choices: ['yes', 'not yet'] }),
      runEnded(10, 'waiting'),
    ],
    'quiet',
  );
  expect(err).toBe(`? waiting  0 steps  10 ms
  Gate: Ship it?
    orchestrate approve 20260131T120000Z-abc123 Gate --choose yes
    orchestrate approve 20260131T120000Z-abc123 Gate --choose 'not yet'
  then: orchestrate resume 20260131T120000Z-abc123
`);
});

test('an answer, a goto, a cached step and a failed proof are shown with their reasons', () => {
  const { err } = report([
    {
      type: 'run-resumed',
      at: at(0),
      tookOver: { pid: 7, host: 'box' },
      endedProcesses: [8, 9],
      cutBytes: 1,
    },
    {
      type: 'question-answered',
      at: at(1),
      key: 'Gate' as never,
      answer: { type: 'chosen', choice: 'yes', comment: 'go', by: 'ann' },
    },
    noted('Gate@record', 1, { type: 'record', record: { status: 'completed', durationMs: 1, attempts: 0 } }),
    noted('Gate@goto', 1, { type: 'decision', message: 'succeeded; continuing at `Fix`' }),
    ended('Fix@cache', [2, 2], { effect: 'read-cache', output: { hit: {} } }),
    noted('Fix@record', 2, { type: 'record', record: { status: 'completed', durationMs: 3, attempts: 1 } }),
    noted('Fix@why', 2, { type: 'decision', message: 'result taken from the cache (run R)' }),
    began('Write', 2, { repeated: true, attempt: 2 }),
    ended('Write', [2, 3], { attempts: 2 }),
    noted('Write@record', 3, {
      type: 'record',
      record: { status: 'failed', failure: { type: 'unproven', reasons: ['no file matches `a`'] } },
    }),
    runEnded(4, 'interrupted', { signal: 'SIGTERM' }),
  ]);
  expect(
    err,
  ).toBe(`● resuming run; taken over from process 7 on box, which is no longer running; stopped processes 8, 9 left running by it; dropped an unfinished record of 1 byte from the journal
✓ Gate  yes (ann): go
→ Gate  succeeded; continuing at \`Fix\`
✓ Fix  3 ms  result taken from the cache (run R)
▶ Write  attempt 2 (the previous one was interrupted)
✓ Write  1 ms  2 attempts
✗ Write  check failed: no file matches \`a\`
■ interrupted by SIGTERM  3 steps: 2 done, 1 failed  4 ms
  to continue: orchestrate resume 
`);
});

test('verbose shows the output of steps and agents in complete lines, without escape sequences', () => {
  const { err } = report(
    [
      began('A', 0),
      seen('A', 1, { type: 'output', stream: 'stdout', text: 'one\ntw' }),
      seen('A', 2, { type: 'output', stream: 'stderr', text: 'error\r\n' }),
      seen('A', 3, { type: 'output', stream: 'stdout', text: '\u001b[1mo\u001b[0m\nlast' }),
      seen('A', 4, { type: 'agent', event: { type: 'text', text: 'Hello\nthere', delta: false } }),
      seen('A', 5, { type: 'agent', event: { type: 'tool-use', id: '1', name: 'Edit', input: {} } }),
      ended('A', [0, 6]),
    ],
    'verbose',
  );
  expect(err).toBe(`▶ A
  A │ one
  A │ error
  A │ two
  A │ Hello
  A │ there
  A │ Edit
  A │ last
✓ A  6 ms
`);
});

test('quiet prints nothing for a successful run, json prints the events themselves', () => {
  const events = [runStarted(), began('A', 0), ended('A', [0, 6]), runEnded(7, 'completed')];
  expect(report(events, 'quiet')).toEqual({ out: '', err: '' });
  const { out, err } = report(events, 'json');
  expect(err).toBe('');
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(events);
});
