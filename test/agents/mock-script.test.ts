import { describe, expect, it } from 'vitest';
import { mockTurn } from '../../src/agents/mock-script.ts';
import { ok } from '../../src/model/result.ts';

describe('the script of the mock agent', () => {
  const script = {
    answer: 'what?',
    delay_ms: 5,
    cases: [
      { prompt: 'red', answer: 'a colour' },
      { prompt: 'red wine', answer: 'a drink' },
    ],
  };

  it('uses the first case that matches the prompt', () => {
    expect(mockTurn(script, { prompt: 'What is red wine?', attempt: 1 })).toEqual(
      ok({ answer: 'a colour', delay_ms: 5 }),
    );
  });

  it('uses the defaults if no case matches', () => {
    expect(mockTurn(script, { prompt: 'What is blue?', attempt: 1 })).toEqual(
      ok({ answer: 'what?', delay_ms: 5 }),
    );
  });

  it('can differ per attempt, and repeats the last attempt', () => {
    const flaky = { ...script, attempts: [{ outcome: 'overloaded' }, { outcome: 'done' }] };
    const outcomes = [1, 2, 3].map((attempt) => mockTurn(flaky, { prompt: 'red', attempt }));
    expect(outcomes).toEqual(
      ['overloaded', 'done', 'done'].map((outcome) => ok({ answer: 'a colour', delay_ms: 5, outcome })),
    );
  });

  it('reports its mistakes', () => {
    expect(mockTurn({ cases: [{ answer: 'x' }] }, { prompt: '', attempt: 1 })).toMatchObject({
      type: 'error',
      error: expect.stringContaining('cases.0.prompt'),
    });
  });
});
