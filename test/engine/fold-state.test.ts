import { describe, expect, it } from 'vitest';
import { StateFold } from '../../src/engine/fold-state.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { RunId, StepKey } from '../../src/model/ids.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Note } from '../../src/model/note.ts';
import type { StepState } from '../../src/model/run-state.ts';

const at = '2026-01-01T00:00:00.000Z';

const started: JournalEvent = {
  type: 'run-started',
  at,
  runId: '20260101T000000Z-abcdef' as RunId,
  kind: 'workflow',
  title: 't',
  program: 'workflow',
  input: null,
  workspace: '/w',
  facts: { workflow_file: 'w.yaml' },
};

function ended(key: string, effect: string, output: JsonValue): JournalEvent {
  return {
    type: 'step-ended',
    at,
    key: key as StepKey,
    effect,
    attempts: 1,
    startedAt: at,
    durationMs: 5,
    output,
  };
}

function noted(key: string, note: Note): JournalEvent {
  return ended(key, 'note', { note: note as unknown as JsonValue });
}

const done = { exitCode: 0, outcome: 'done', output: 'x' };

function stateAfter(...events: readonly JournalEvent[]) {
  const fold = new StateFold();
  for (const event of [started, ...events]) fold.apply(event);
  return fold.state;
}

describe('the state of a run', () => {
  it('shows steps where their containers put them', () => {
    const state = stateAfter(
      noted('Loop@container', { type: 'container', kind: 'for-each', items: ['a', 'b'] }),
      ended('Loop/1/Say', 'run-command', done),
      noted('Par@container', { type: 'container', kind: 'parallel' }),
      ended('Par/left/A', 'run-command', done),
      noted('Rep@container', { type: 'container', kind: 'repeat' }),
      ended('Rep/0/B', 'run-command', done),
      noted('Call@container', { type: 'container', kind: 'call' }),
      ended('Call/C', 'run-command', done),
      ended('IMPL-1.2/implement', 'run-agent', done),
    );
    expect(state?.steps).toMatchObject({
      Loop: [{}, { Say: { output: 'x' } }],
      Par: { branches: { left: { A: { output: 'x' } } } },
      Rep: { iterations: [{ B: { output: 'x' } }] },
      Call: { steps: { C: { output: 'x' } } },
      'IMPL-1.2/implement': { output: 'x' },
    });
  });

  it('shows the last visit of a loop', () => {
    const state = stateAfter(
      noted('Loop@container', { type: 'container', kind: 'for-each', items: ['a', 'b'] }),
      ended('Loop/0/Say', 'run-command', done),
      noted('Loop/0/item@done', { type: 'item-completed', index: 0 }),
      noted('Loop#2@container', { type: 'container', kind: 'for-each', items: ['c'] }),
      ended('Loop#2/0/Say', 'run-command', { ...done, output: 'again' }),
      noted('Loop#2/0/item@done', { type: 'item-completed', index: 0 }),
    );
    expect(state?.steps).toMatchObject({ Loop: [{ Say: { output: 'again' } }] });
    expect(state?.for_each).toMatchObject({
      Loop: {
        items: ['c'],
        completed_indices: [0],
        current_index: null,
        visits: 2,
        earlier_visits: [
          { items: 2, items_completed: 1, item_values: ['a', 'b'], iterations: [{ Say: { output: 'x' } }] },
        ],
      },
    });
  });

  it('shows what an earlier visit contained, also its loops, and leaves out the oldest if that is too much', () => {
    const visit = (number: number) => {
      const key = number === 1 ? 'Rep' : `Rep#${number}`;
      return [
        noted(`${key}@container`, { type: 'container', kind: 'repeat' }),
        noted(`${key}/0/Each@container`, { type: 'container', kind: 'for-each', items: ['a'] }),
        ...Array.from({ length: 400 }, (_, step) => ended(`${key}/0/Each/0/S${step}`, 'run-command', done)),
        noted(`${key}/0/Each/0/item@done`, { type: 'item-completed', index: 0 }),
      ];
    };
    const state = stateAfter(...[1, 2, 3, 4, 5, 6, 7].flatMap(visit));
    const step = state?.steps['Rep'] as StepState;
    expect([step.visits, step.iterations]).toMatchObject([
      7,
      [{ Each: [{ S399: { status: 'completed' } }] }],
    ]);
    expect(step.earlier_visits).toMatchObject([
      { inside_left_out: true },
      {
        iterations: [{ Each: [{ S0: { status: 'completed' } }] }],
        for_each: { 'Rep/0/Each': { items: ['a'], completed_indices: [0] } },
      },
      ...[{}, {}, {}, {}],
    ]);
    expect(step.earlier_visits?.[0]).not.toHaveProperty('iterations');
    expect(Object.keys(state?.for_each ?? {})).toEqual(['Rep/0/Each']);
  });

  it('shows a step as running until what it is expected to leave has been checked', () => {
    const work = { ...ended('A', 'run-command', done), toCheck: true } as JournalEvent;
    const checked = (reasons: readonly string[]) =>
      ended('A@expect1', 'check-proof', { reasons: [...reasons] });
    const stepOf = (...events: readonly JournalEvent[]) => stateAfter(...events)?.steps['A'] as StepState;
    expect(stepOf(work)).toMatchObject({ status: 'running', duration_ms: 5 });
    expect(stepOf(work).completed_at).toBeUndefined();
    expect(stepOf(work, checked([]))).toMatchObject({ status: 'completed', completed_at: at });
    expect(stepOf(work, checked(['`x` does not exist'])).status).toBe('running');
  });

  it('sums the cost of all attempts, and counts calls with unknown cost', () => {
    const state = stateAfter(
      {
        type: 'attempt-ended',
        at,
        key: 'A' as StepKey,
        attempt: 1,
        failure: { type: 'timed-out', afterMs: 1 },
        counted: true,
        nextAt: at,
        spent: { costUsd: 0.25, usage: { inputTokens: 10, outputTokens: 1 } },
      },
      ended('A', 'run-agent', { ...done, spent: { costUsd: 0.5 } }),
      ended('B', 'run-agent', { ...done, spent: { costUsd: null } }),
    );
    expect(state?.totals).toEqual({
      cost_usd: 0.75,
      agent_calls: 3,
      unknown_cost_calls: 1,
      tokens: { input: 10, output: 1 },
      unknown_token_calls: 2,
      steps_completed: 2,
      steps_failed: 0,
      steps_skipped: 0,
    });
  });

  it('counts a call that was running when its process ended as one of unknown cost, once, also in older journals', () => {
    const begun: JournalEvent = {
      ...{ type: 'step-started', at, key: 'A' as StepKey, effect: 'run-agent', attempt: 1 },
      input: { agent: { name: 'claude', adapter: 'claude' }, model: 'big' },
    };
    const resumed: JournalEvent = { type: 'run-resumed', at };
    const interrupted: JournalEvent = { type: 'run-ended', at, status: 'interrupted' };
    const again: JournalEvent = { ...begun, repeated: true };
    const call = { agent: 'claude', model: 'big', started_at: at };
    const figures = (...events: readonly JournalEvent[]) => {
      const { totals, spending, open_calls, interrupted_calls } = stateAfter(...events) ?? {};
      const rows = spending?.map((row) => [row.agent_calls, row.unknown_cost_calls]);
      return [totals?.agent_calls, totals?.unknown_cost_calls, rows, open_calls, interrupted_calls];
    };
    expect(figures(begun)).toEqual([0, 0, undefined, { A: call }, undefined]);
    expect(figures(begun, interrupted)).toEqual([1, 1, [[1, 1]], undefined, { A: call }]);
    // Killed: nothing recorded its end.
    for (const first of [[begun, interrupted], [begun]]) {
      expect(figures(...first, resumed)).toEqual([1, 1, [[1, 1]], undefined, undefined]);
      // Killed again before the call was made again.
      expect(figures(...first, resumed, resumed, again)).toEqual([1, 1, [[1, 1]], { A: call }, undefined]);
      const all = [...first, resumed, again, ended('A', 'run-agent', { ...done, spent: { costUsd: 1 } })];
      expect(figures(...all)).toEqual([2, 1, [[2, 1]], undefined, undefined]);
      expect(figures(...all, resumed)).toEqual([2, 1, [[2, 1]], undefined, undefined]);
    }
    const limit: JournalEvent = {
      ...{ type: 'attempt-ended', at, key: 'A' as StepKey, attempt: 1, counted: false, nextAt: at },
      failure: { type: 'timed-out', afterMs: 1 },
    };
    expect(figures(begun, limit, interrupted, resumed)).toEqual([0, 0, undefined, undefined, undefined]);
  });

  it('adds what was decided after a step to its record', () => {
    const state = stateAfter(
      ended('A', 'run-command', done),
      noted('A@record', {
        type: 'record',
        record: { status: 'failed', exitCode: 3, failure: { type: 'unproven', reasons: ['no file'] } },
      }),
      noted('A@why', { type: 'decision', message: 'asked again' }),
    );
    expect(state?.steps).toMatchObject({
      A: {
        status: 'failed',
        exit_code: 3,
        output: 'x',
        error: { message: 'check failed: no file', context: { reasons: ['no file'] } },
        decisions: ['asked again'],
      },
    });
  });
});
