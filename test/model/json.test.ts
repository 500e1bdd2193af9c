import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameJson } from '../../src/model/json.ts';

describe('two values', () => {
  it('are the same if they are the same JSON, in whatever order their members are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isSameJson(value, reversed(JSON.parse(JSON.stringify(value))))).toBe(true);
      }),
    );
  });

  it('are the same only then', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(isSameJson(one, other)).toBe(sorted(one) === sorted(other));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: 1 }, { b: 1 }, false],
    [{ toString: 1 }, { b: 1 }, false],
    [{}, [], false],
    [{}, null, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [1, '1', false],
    [0, -0, true],
  ])('%j and %j: %s', (one, other, isSame) => {
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([isSame, isSame]);
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
}

/** The same text for the same JSON. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
