import { describe, expect, it } from 'vitest';
import { createConsoleView } from '../../src/cli/loop-view/console-view.ts';
import type { Ending } from '../../src/cli/loop-view/panel.ts';
import { LoopTally } from '../../src/iterate/events/loop-tally.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { RunId, StepKey } from '../../src/model/ids.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Reporter } from '../../src/report/live/reporter.ts';
import { Screen } from '../rig/screen.ts';

const START = Date.parse('2026-01-31T12:00:00.000Z');

class Show {
  readonly screen: Screen;
  readonly view: Reporter;
  readonly tally: LoopTally;
  now = START;
  ending: Ending | undefined;
  #frame = (): void => {};

  constructor(columns: number, mode: 'loop' | 'iterative' = 'loop') {
    this.screen = new Screen(columns);
    this.tally = new LoopTally({ name: 'my-task', mode, maxIterations: 50, stagnationThreshold: 2 });
    this.view = createConsoleView({
      level: 'progress',
      tally: this.tally,
      color: true,
      terminal: { isTerminal: true, columns: () => this.screen.columns },
      write: (text) => this.screen.write(text),
      again: { asNew: 'claude-iterate run my-task', toResume: 'claude-iterate run my-task', runId: 'r' },
      ending: () => this.ending,
      clock: {
        now: () => this.now,
        every: (_ms, call) => {
          this.#frame = call;
          return () => {};
        },
      },
    });
  }

  after(
    seconds: number,
    ...events: readonly { readonly type: string; readonly [field: string]: unknown }[]
  ): this {
    this.now += seconds * 1000;
    for (const event of events) {
      const timed = { at: new Date(this.now).toISOString(), ...event } as unknown as RunEvent;
      this.tally.apply(timed);
      this.view.event(timed);
    }
    this.#frame();
    return this;
  }
}

const began = { type: 'run-started', runId: '20260131T120000Z-aaaaaa' as RunId, title: 'my-task', facts: {} };
const starts = (number: number) => ({
  type: 'step-started',
  key: `iteration/${number}` as StepKey,
  effect: 'run-agent',
  attempt: 1,
  input: {},
});

function ended(key: string, effect: string, output: JsonValue, durationMs = 0) {
  return { type: 'step-ended', key: key as StepKey, effect, attempts: 1, startedAt: '', durationMs, output };
}

function done(
  number: number,
  facts: { readonly seconds: number; readonly status: JsonValue; readonly noWork?: number },
) {
  const status = facts.status as { readonly summary?: string };
  const run = {
    iteration: number,
    remaining: null,
    noWork: facts.noWork ?? 0,
    ...(status.summary === undefined ? {} : { summary: status.summary }),
  };
  return [
    ended(`iteration/${number}`, 'run-agent', { spent: { costUsd: 0.05 } }, facts.seconds * 1000),
    ended(`iteration/${number}@status`, 'read-file', {
      text: JSON.stringify({ complete: false, ...(facts.status as object) }),
    }),
    ended(`iteration/${number}@metadata`, 'update-document', { document: { run } }),
  ];
}

describe('the panel of a run on a terminal of 80 columns', () => {
  it('shows title, bar, elapsed time, estimate, cost and the last status', () => {
    const show = new Show(80);
    show.after(0, began, starts(1));
    expect(show.screen.text).toBe(
      [
        'my-task  loop mode  iteration 1/50',
        `${'░'.repeat(40)}  0%  0/50 iterations`,
        'elapsed 0 ms',
        's: stop after this iteration   Ctrl+C: interrupt',
      ].join('\n'),
    );
    show.after(
      30,
      ...done(1, {
        seconds: 30,
        status: { progress: { completed: 5, total: 20 }, summary: 'Five endpoints migrated' },
      }),
      starts(2),
    );
    show.after(20, {
      type: 'progress',
      key: 'iteration/2',
      progress: {
        type: 'agent',
        event: { type: 'text', text: 'I look at the next one.\nThen more.', delta: false },
      },
    });
    expect(show.screen.text).toBe(
      [
        '✓ Iteration 1 complete',
        'my-task  loop mode  iteration 2/50',
        `${'█'.repeat(10)}${'░'.repeat(30)}  25%  5/20 items`,
        'elapsed 50.0 s   about 7 min 30 s left   $0.0500',
        'Status: Five endpoints migrated',
        '  I look at the next one.',
        's: stop after this iteration   Ctrl+C: interrupt',
      ].join('\n'),
    );
    expect(show.screen.cursorVisible).toBe(false);
    show.after(
      10,
      ...done(2, { seconds: 30, status: { complete: true, progress: { completed: 20, total: 20 } } }),
      {
        type: 'run-ended',
        status: 'completed',
        output: { stopReason: 'complete', iterations: 2, retryKeys: [] },
      },
    );
    expect(show.screen.text).toBe(
      [
        '✓ Iteration 1 complete',
        '✓ Iteration 2 complete',
        '✓ Task completed successfully after 2 iterations',
        '  Cost: $0.1000',
      ].join('\n'),
    );
    expect(show.screen.cursorVisible).toBe(true);
  });

  it('estimates from the last five iterations only', () => {
    const show = new Show(80);
    show.after(0, began);
    for (let number = 1; number <= 8; number += 1) {
      const seconds = number <= 3 ? 1000 : 10;
      show.after(
        0,
        starts(number),
        ...done(number, { seconds, status: { progress: { completed: number * 2, total: 40 } } }),
      );
    }
    // 24 items are left, two per iteration: 12 iterations of 10 s each.
    expect(show.screen.text).toContain('about 2 min 00 s left');
  });

  it('shows stagnation, a usage limit being waited for, and a requested stop', () => {
    const show = new Show(80, 'iterative');
    show.ending = 'stop';
    show.after(
      0,
      began,
      starts(1),
      ...done(1, { seconds: 5, status: { worked: false }, noWork: 1 }),
      starts(2),
      {
        type: 'attempt-ended',
        key: 'iteration/2',
        attempt: 1,
        counted: false,
        nextAt: '2026-01-31T14:05:00.000Z',
        failure: { type: 'agent', outcome: { type: 'rate-limited', message: 'limit' } },
      },
    );
    expect(show.screen.text).toBe(
      [
        '✓ Iteration 1 complete',
        '⚠ Usage limit reached, reset time unknown; retrying iteration 2 at 14:05:00 UTC',
        '(in 2 h 05 min)',
        'my-task  iterative mode  iteration 2/50',
        `${'░'.repeat(40)}  2%  1/50 iterations`,
        'elapsed 0 ms   $0.0500   no work 1/2',
        '  usage limit, reset time unknown: next attempt at 14:05:00 UTC (in 2 h 05 min)',
        'Stopping after this iteration.',
      ].join('\n'),
    );
  });

  it('says how the loop ends, and estimates nothing then', () => {
    const show = new Show(80);
    const status = { progress: { completed: 1, total: 3 } };
    show.after(0, began, starts(1), ...done(1, { seconds: 5, status }), starts(2));
    expect(show.screen.text).toContain('about 10.0 s left');
    for (const [ending, words] of [
      ['pause', 'Pausing after this iteration.'],
      ['interrupt', 'Stopping now.   Ctrl+C: force quit'],
    ] as const) {
      show.ending = ending;
      show.after(0);
      expect(show.screen.text.split('\n').at(-1)).toBe(words);
      expect(show.screen.text).toContain('elapsed 0 ms   $0.0500\n');
    }
  });

  it('shows limits that are changed while it runs from the next iteration', () => {
    const show = new Show(80, 'iterative');
    const change = { run: 'r', at: '2026-01-31T12:00:00.000Z', maxIterations: 6, stagnationThreshold: 3 };
    show.after(0, began, starts(1), ...done(1, { seconds: 5, status: { worked: false }, noWork: 1 }));
    show.after(0, ended('iteration/2@set', 'read-file', { text: JSON.stringify(change) }));
    expect(show.screen.text).toContain('iteration 1/50\n');
    const note = { type: 'decision', message: 'changed by the user: maximum iterations 6' };
    show.after(0, ended('iteration/2@changed', 'note', { note }), starts(2));
    expect(show.screen.text).toContain('my-task  iterative mode  iteration 2/6\n');
    expect(show.screen.text).toContain('no work 1/3\n');
  });

  it('never wraps, and stays in place when the terminal becomes narrower', () => {
    const show = new Show(80);
    const status = { progress: { completed: 1, total: 3 }, summary: `Long ${'日本 words '.repeat(20)}` };
    show.after(0, began, starts(1), ...done(1, { seconds: 5, status }), starts(2));
    for (const line of show.screen.text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    show.screen.resize(40);
    show.after(1);
    show.after(1);
    const lines = show.screen.text.split('\n');
    expect(lines.filter((line) => line.startsWith('my-task'))).toHaveLength(1);
    expect(lines[0]).toBe('✓ Iteration 1 complete');
  });

  it('omits what does not fit on a narrow terminal, and never truncates a number', () => {
    const show = new Show(40, 'iterative');
    const status = {
      progress: { completed: 1, total: 3 },
      summary: 'A summary that is longer than the screen is wide',
    };
    show.after(0, began, starts(1)).after(30, ...done(1, { seconds: 30, status }), starts(2));
    expect(show.screen.text).toBe(
      [
        '✓ Iteration 1 complete',
        'my-task  iterative mode  iteration 2/50',
        `${'█'.repeat(7)}${'░'.repeat(15)}  33%  1/3 items`,
        'elapsed 30.0 s   about 1 min 00 s left',
        'Status: A summary that is longer than …',
        's: stop   Ctrl+C: interrupt',
      ].join('\n'),
    );
  });

  it('estimates nothing when nothing is left', () => {
    const show = new Show(80);
    const status = { progress: { completed: 3, total: 3 } };
    show.after(0, began, starts(1)).after(5, ...done(1, { seconds: 5, status }));
    expect(show.screen.text).toContain('elapsed 5.0 s   $0.0500\n');
  });
});
