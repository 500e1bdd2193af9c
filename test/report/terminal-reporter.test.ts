import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { createReporter } from '../../src/report/create-reporter.ts';
import type { Clock } from '../../src/report/live/clock.ts';
import { columnsOf } from '../../src/report/text/width.ts';
import { Screen } from '../rig/screen.ts';
import { at, BEGIN, began, EXIT_1, ended, runEnded, runStarted, seen } from './events.ts';

class ManualClock implements Clock {
  ms = 0;
  #call: (() => void) | undefined;
  now(): number {
    return BEGIN + this.ms;
  }
  every(_ms: number, call: () => void): () => void {
    this.#call = call;
    return () => {
      this.#call = undefined;
    };
  }
  /** Draws one frame at this time. */
  tick(ms: number): void {
    this.ms = ms;
    this.#call?.();
  }
}

function panel(columns: number, color = false) {
  const screen = new Screen(columns);
  const clock = new ManualClock();
  const writes: string[] = [];
  const reporter = createReporter({
    level: 'progress',
    terminal: { isTerminal: true, columns: () => screen.columns },
    color,
    out: () => {},
    err: (text) => {
      writes.push(text);
      screen.write(text);
    },
    clock,
  });
  const feed = (...events: RunEvent[]) => {
    for (const event of events) reporter.event(event);
  };
  return { screen, clock, reporter, feed, writes };
}

test('running steps are shown in the panel, finished ones scroll above it', () => {
  const { screen, clock, feed } = panel(60);
  feed(runStarted(), began('Plan', 0), ended('Plan', [0, 1500]), began('Build', 1500), began('Test', 1600));
  feed(seen('Build', 1700, { type: 'agent', event: { type: 'tool-use', id: '1', name: 'Edit', input: {} } }));
  clock.tick(3600);
  expect(screen.text).toBe(`● run 20260131T120000Z-abc123 started: ship
✓ Plan  1.5 s
⠙ Build  2 s  Edit
⠙ Test  2 s
  1 done · 2 running · 3 s`);
  expect(screen.cursorVisible).toBe(false);

  feed(ended('Build', [1500, 4000], { failure: EXIT_1 }));
  clock.tick(4700);
  expect(screen.text).toBe(`● run 20260131T120000Z-abc123 started: ship
✓ Plan  1.5 s
✗ Build  2.5 s  the command ended with exit code 1
⠹ Test  3 s
  1 done · 1 running · 1 failed · 4 s`);
});

test('while `finally` runs after Ctrl-C, the steps that were stopped are no longer shown as running', () => {
  const { screen, clock, reporter, feed } = panel(60);
  feed(runStarted(), began('Build', 0), began('Test', 0));
  reporter.stopping?.();
  clock.tick(1000);
  expect(screen.text).toContain('2 running');
  feed(began('Clean', 1000), began('Notify', 1000));
  clock.tick(2000);
  expect(screen.text).toBe(`● run 20260131T120000Z-abc123 started: ship
⠹ Clean  1 s
⠹ Notify  1 s
  0 done · 2 running · 2 s`);
});

test('the end removes the panel, leaves the summary and shows the cursor again', () => {
  const { screen, clock, reporter, feed, writes } = panel(60, true);
  feed(runStarted(), began('A', 0));
  clock.tick(100);
  feed(ended('A', [0, 150]), runEnded(200, 'completed'));
  expect(screen.text).toBe(`● run 20260131T120000Z-abc123 started: ship
✓ A  150 ms
✓ completed  1 step  200 ms`);
  expect(screen.cursorVisible).toBe(true);
  const count = writes.length;
  reporter.close();
  clock.tick(300);
  expect(writes.length).toBe(count);
});

test('no line of the panel is wider than the terminal, even with wide characters', () => {
  const { screen, clock, feed } = panel(24);
  feed(began('A', 0), began('A-step-with-quite-a-long-name', 0));
  feed(seen('A', 0, { type: 'message', text: '日本語のとても長いメッセージです' }));
  clock.tick(2000);
  expect(screen.text).toBe(`· A  日本語のとても長い
メッセージです
⠙ A  2 s  日本語のとて…
⠙ A-step-with-qui…  2 s
  0 done · 2 running`);
  expect(
    screen.text
      .split('\n')
      .slice(2)
      .every((row) => [...row].length <= 23),
  ).toBe(true);
});

test('after the terminal becomes narrower, wrapped rows are overwritten too', () => {
  const { screen, clock, feed } = panel(60);
  feed(began('A-step-with-a-name-of-some-length', 0), began('B', 0));
  clock.tick(1000);
  screen.resize(20);
  clock.tick(1100);
  expect(screen.text).toBe(`⠹ A-step-with…  1 s
⠹ B  1 s
  0 done · 2 runni…`);
  screen.resize(60);
  clock.tick(1200);
  expect(screen.text).toBe(`⠸ A-step-with-a-name-of-some-length  1 s
⠸ B  1 s
  0 done · 2 running`);
});

test('a line that replaced a wrapped one is not lost when the terminal becomes wider again', () => {
  const { screen, clock, feed } = panel(60);
  feed(began('A-step-with-a-name-of-some-length', 0), began('B', 0));
  clock.tick(1000);
  screen.resize(20);
  feed(ended('B', [0, 1050]));
  clock.tick(1100);
  screen.resize(60);
  clock.tick(1200);
  expect(screen.text).toBe(`✓ B  1.1 s
⠸ A-step-with-a-name-of-some-length  1 s
  1 done · 1 running`);
});

test('a terminal that reports no width has the usual one', () => {
  expect([{}, { columns: 0 }, { columns: 40 }].map(columnsOf)).toEqual([80, 80, 40]);
});

test('ten thousand quick steps are counted instead of printed; failures among them are shown', () => {
  const { screen, clock, feed, writes } = panel(60);
  for (let i = 0; i < 10_000; i += 1) {
    feed(began(`Loop/${i}/A`, i / 2));
    feed(ended(`Loop/${i}/A`, [i / 2, i / 2], i === 7000 ? { failure: EXIT_1 } : {}));
    if (i % 200 === 199) clock.tick(i / 2);
  }
  feed(runEnded(5100, 'completed'));
  const rows = screen.text.split('\n');
  expect(rows.length).toBeLessThan(400);
  expect(rows).toContain('✗ Loop/7000/A  the command ended with exit code 1');
  expect(rows.at(-1)).toBe('✓ completed  10,000 steps: 9,999 done, 1 failed');
  expect(writes.length).toBeLessThan(70);
  const counted = rows.map((row) => /^✓ (\d+) more steps?$/.exec(row)?.[1]).filter((n) => n !== undefined);
  const printed = rows.filter((row) => /^✓ Loop/.test(row)).length;
  expect(printed + counted.reduce((sum, n) => sum + Number(n), 0)).toBe(9999);
});

test('more running steps than fit are counted', () => {
  const { screen, clock, feed } = panel(60);
  for (let i = 0; i < 11; i += 1) feed(began(`S${i}`, 0));
  clock.tick(0);
  expect(screen.text.split('\n').slice(-3)).toEqual(['⠙ S7  0 s', '  … and 3 more', '  0 done · 11 running']);
});

test('a step waiting for its next attempt says so in the panel; messages are printed above it', () => {
  const { screen, clock, reporter, feed } = panel(110);
  feed(began('Ask', 0, { effect: 'run-agent' }));
  feed({
    type: 'attempt-ended',
    at: at(1000),
    key: 'Ask' as never,
    attempt: 1,
    failure: EXIT_1,
    counted: true,
    nextAt: at(5000),
  });
  reporter.say('Interrupted: stopping running steps.');
  clock.tick(2000);
  expect(screen.text).toBe(`Interrupted: stopping running steps.
↻ Ask  attempt 1 failed: the command ended with exit code 1; retrying at 12:00:05 UTC (in 4.0 s)
⠙ Ask  2 s  attempt 1 failed: the command ended with exit code 1; retrying at 12:00:05 UTC (in 4.0 s)
  0 done · 1 running`);
  feed(began('Ask', 5000, { effect: 'run-agent', attempt: 2 }));
  clock.tick(5000);
  expect(screen.text.split('\n').slice(2)).toEqual(['⠹ Ask  5 s', '  0 done · 1 running']);
});

test.each([
  [
    'with a reset time',
    { resetsAt: at(3_600_000) },
    'usage limit: waiting until 13:00:01 UTC (in 59 min 59 s)',
  ],
  [
    'without a reset time',
    {},
    'usage limit, reset time unknown: next attempt at 13:00:01 UTC (in 59 min 59 s)',
  ],
])('a usage limit %s is shown in the panel until the next attempt', (_how, told, words) => {
  const { screen, clock, feed } = panel(100);
  feed(began('Ask', 0, { effect: 'run-agent' }));
  feed({
    ...{ type: 'attempt-ended', at: at(1000), key: 'Ask' as never, attempt: 1, counted: false },
    failure: { type: 'agent', outcome: { type: 'rate-limited', message: 'limit', ...told } },
    nextAt: at(3_601_000),
  });
  clock.tick(2000);
  expect(screen.text.split('\n').slice(-2)).toEqual([`⠙ Ask  2 s  ${words}`, '  0 done · 1 running']);
  feed(began('Ask', 3_601_000, { effect: 'run-agent', attempt: 2 }));
  clock.tick(3_601_000);
  expect(screen.text).not.toContain('limit: waiting');
  expect(screen.text.split('\n').at(-2)).toBe('⠹ Ask  1 h 00 min');
});
