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

  it('says for some prompts what holds for them; the first case that fits counts', () => {
    expect(mockTurn(script, { prompt: 'What is red wine?', attempt: 1 })).toEqual(
      ok({ answer: 'a colour', delay_ms: 5 }),
    );
  });

  it('says what holds for all where no case fits', () => {
    expect(mockTurn(script, { prompt: 'What is blue?', attempt: 1 })).toEqual(
      ok({ answer: 'what?', delay_ms: 5 }),
    );
  });

  it('lets an attempt differ from all of them, and keeps the last for those that follow', () => {
    const flaky = { ...script, attempts: [{ outcome: 'overloaded' }, { outcome: 'done' }] };
    const outcomes = [1, 2, 3].map((attempt) => mockTurn(flaky, { prompt: 'red', attempt }));
    expect(outcomes).toEqual(
      ['overloaded', 'done', 'done'].map((outcome) => ok({ answer: 'a colour', delay_ms: 5, outcome })),
    );
  });

  it('is told what is wrong with it', () => {
    expect(mockTurn({ cases: [{ answer: 'x' }] }, { prompt: '', attempt: 1 })).toMatchObject({
      type: 'error',
      error: expect.stringContaining('cases.0.prompt'),
    });
  });
});
