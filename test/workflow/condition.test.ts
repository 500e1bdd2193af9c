import { expect, it } from 'vitest';
import { describeCondition } from '../../src/workflow/condition.ts';
import type { Condition } from '../../src/workflow/definition.ts';

const [a, b, c] = ['a', 'b', 'c'].map((glob): Condition => ({ type: 'exists', glob })) as [
  Condition,
  Condition,
  Condition,
];
const all = (...conditions: Condition[]): Condition => ({ type: 'all', conditions });
const any = (...conditions: Condition[]): Condition => ({ type: 'any', conditions });

it.each([
  [all(a, b), '`a` exists and `b` exists'],
  [all(any(a, b), c), '(`a` exists or `b` exists) and `c` exists'],
  [any(a, all(b, c)), '`a` exists or (`b` exists and `c` exists)'],
  [all(any(a), b), '`a` exists and `b` exists'],
  [{ type: 'not', condition: any(a, b) } as const, 'not (`a` exists or `b` exists)'],
])('a condition in words can be read in one way only: %#', (condition, words) => {
  expect(describeCondition(condition)).toBe(words);
});
