import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConverseInput } from '../../src/converse/input.ts';
import { BASE_PROMPT, TOOL_RESULT } from '../../src/converse/prompt/default-templates.ts';
import { renderPrompt } from '../../src/converse/prompt/render-prompt.ts';
import { fairShares } from '../../src/converse/prompt/results-section.ts';
import { cutToTokens, estimateTokens } from '../../src/converse/prompt/tokens.ts';
import type { Turn } from '../../src/converse/turn.ts';

function input(contextBudgetTokens: number): ConverseInput {
  return {
    sessionId: 's',
    folder: '/talk',
    base: '/talk',
    root: '/talk',
    task: 'The task',
    agent: { name: 'mock', choice: { type: 'builtin', adapter: 'mock' } },
    maxIterations: 50,
    tools: [],
    templates: { basePrompt: BASE_PROMPT, toolResult: TOOL_RESULT },
    limits: { contextBudgetTokens, maxConsecutiveErrors: 3, parallelTools: 4 },
  };
}

function turn(iteration: number, bytes: number): Turn {
  return {
    iteration,
    text: `said ${iteration}`,
    requests: [{ id: `t${iteration}`, name: 'read_file', input: { path: `f${iteration}` } }],
    results: [
      {
        tool_use_id: `t${iteration}`,
        tool_name: 'read_file',
        status: 'success',
        output: `output ${iteration} ${'x'.repeat(bytes)} end ${iteration}`,
        executed_at: '2026-01-01T00:00:00.000Z',
      },
    ],
  };
}

const turns = (count: number, bytes: number): readonly Turn[] =>
  Array.from({ length: count }, (_, index) => turn(index + 1, bytes));

describe('a prompt', () => {
  it('contains every turn in full while there is room', () => {
    const { prompt, message } = renderPrompt(input(100_000), 4, turns(3, 100));
    for (const n of [1, 2]) expect(prompt).toContain(`end ${n}`);
    expect(prompt).toContain(
      'Previous iteration summary: iteration 3: said 3 — tools: read_file {"path":"f3"} → success',
    );
    expect(message).toContain('output 3');
    expect(prompt).toContain(message);
    expect(prompt.split('output 3')).toHaveLength(2);
  });

  it('summarizes older turns when there is not, and keeps recent ones in full', () => {
    const { prompt } = renderPrompt(input(5000), 11, turns(10, 3000));
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(5000);
    expect(prompt).toContain('- iteration 1: said 1 — tools: read_file {"path":"f1"} → success');
    expect(prompt).not.toContain('end 1\n');
    expect(prompt).toContain('### Iteration 9');
    expect(prompt).toContain('end 9');
    expect(prompt).toContain('end 10');
  });

  it('omits the oldest summaries when even they are too long, and says so', () => {
    const { prompt } = renderPrompt(input(1100), 41, turns(40, 10));
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(1100);
    expect(prompt).toMatch(/- iterations 1 to \d+ are omitted; see the files of the conversation/);
    expect(prompt).toContain('end 40');
  });

  it('truncates results that are too long, and names the files with the full output', () => {
    const { prompt, message } = renderPrompt(input(3000), 2, turns(1, 60_000));
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(3000);
    expect(prompt).toContain('output 1 xxx');
    expect(message).toContain('x end 1');
    expect(prompt).toContain('[… truncated to fit the context; `state/tool_results.json` and');
  });

  it('stays within its budget for any content', () => {
    const anyTurns = fc.array(
      fc.record({ text: fc.string({ unit: 'binary', maxLength: 300 }), bytes: fc.nat(9000) }),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(anyTurns, fc.integer({ min: 1200, max: 20_000 }), (given, budget) => {
        const made = given.map(({ text, bytes }, index) => ({ ...turn(index + 1, bytes), text }));
        const { prompt } = renderPrompt(input(budget), made.length + 1, made);
        expect(estimateTokens(prompt)).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it('inserts values verbatim, without replacing tokens in them', () => {
    const { prompt } = renderPrompt({ ...input(100_000), task: 'use {iteration} and {{x}}' }, 1, []);
    expect(prompt).toMatch(
      /^You are an AI assistant helping with: use \{iteration\} and \{\{x\}\}\n\nCurrent iteration: 1\n/,
    );
    expect(prompt).not.toContain('\n\n\n');
  });
});

describe('shares of a budget', () => {
  it('give each what it needs if there is enough, otherwise cut the largest first', () => {
    expect(fairShares([10, 20, 30], 100)).toEqual([10, 20, 30]);
    expect(fairShares([10, 100, 100], 110)).toEqual([10, 50, 50]);
    expect(fairShares([10, 20], -5)).toEqual([0, 0]);
  });

  it('cut a text between two characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, tokens) => {
        const cut = cutToTokens(text, tokens, '…');
        expect(cut.includes('\uFFFD') && !text.includes('\uFFFD')).toBe(false);
        if (estimateTokens(text) > tokens && tokens > 0)
          expect(estimateTokens(cut)).toBeLessThanOrEqual(tokens);
      }),
    );
  });
});
