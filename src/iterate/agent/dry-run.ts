/** What the built-in agent does in a dry run: the same few steps for every task, so that everything else can be tested without a model. */
import type { AgentChoice } from '../../effects/contracts.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Mode } from '../mode.ts';

const ITEMS = 3;

export interface DryIteration {
  readonly agent: AgentChoice;
  readonly status: JsonObject;
}

export function dryIteration(mode: Mode, iteration: number, statusPath: string): DryIteration {
  const completed = Math.min(iteration, ITEMS);
  const status: JsonObject = {
    complete: completed === ITEMS,
    progress: { completed, total: ITEMS },
    ...(mode === 'iterative' ? { worked: true } : {}),
    summary: `Dry run: ${completed} of ${ITEMS} items done`,
  };
  const content = JSON.stringify(status);
  return {
    status,
    agent: {
      type: 'builtin',
      adapter: 'mock',
      script: {
        answer: `Dry run: item ${completed} of ${ITEMS} is done.`,
        tools: [{ name: 'Write', input: { file_path: statusPath, content }, output: 'written' }],
      },
    },
  };
}

export const DRY_REPORT = `# Verification Report

**Status**: ✅ VERIFIED COMPLETE
**Confidence Level**: High
**Recommended Action**: Nothing is left to do.

## Summary

Dry run: the built-in agent checks nothing and confirms everything.
`;

export const DRY_VALIDATION = `# Validation Report

**Result**: ✅ READY
**Score**: 10/10

## Summary

Dry run: the built-in agent reads nothing and accepts everything.
`;

export function dryAnswer(answer: string): AgentChoice {
  return { type: 'builtin', adapter: 'mock', script: { answer } };
}
