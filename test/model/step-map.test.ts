import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepKey } from '../../src/model/ids.ts';
import { StepMap } from '../../src/model/step-map.ts';

const segment = fc.constantFrom(
  'Each',
  'Fix',
  '0',
  '3',
  '12',
  '007',
  '123456789',
  'a1',
  'Fix#2',
  'item@done',
  '',
);
const key = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/') as StepKey);
const act = fc.oneof(
  fc.record({ type: fc.constant('set' as const), key, value: fc.nat(99) }),
  fc.record({ type: fc.constant('delete' as const), key }),
);

describe('a map of step keys', () => {
  it('holds what a map of texts holds, for any keys', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), fc.array(key), (acts, others) => {
        const map = new StepMap<number>();
        const plain = new Map<StepKey, number>();
        for (const each of acts) {
          if (each.type === 'delete') {
            map.delete(each.key);
            plain.delete(each.key);
          } else {
            expect(map.exchange(each.key, each.value)).toBe(plain.get(each.key));
            plain.set(each.key, each.value);
          }
        }
        for (const each of [...plain.keys(), ...others]) {
          expect(map.get(each)).toBe(plain.get(each));
          expect(map.has(each)).toBe(plain.has(each));
        }
        expect(new Map(map)).toEqual(plain);
        expect([...map]).toHaveLength(plain.size);
      }),
      { numRuns: 500 },
    );
  });

  it('holds many visits of the steps of one item, also after some were deleted', () => {
    const map = new StepMap<number>();
    const keys = Array.from({ length: 100 }, (_, visit) => `Each/3/Fix#${visit}` as StepKey);
    for (const [visit, each] of keys.entries()) map.set(each, visit);
    for (const each of keys.filter((_, visit) => visit % 3 === 0)) map.delete(each);
    for (const [visit, each] of keys.entries()) map.set(each, visit + 1000);
    expect(keys.map((each) => map.get(each))).toEqual(keys.map((_, visit) => visit + 1000));
    expect([...map]).toHaveLength(keys.length);
  });
});
