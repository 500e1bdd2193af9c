import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSafeName } from '../../src/model/ids.ts';

const SAFE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

it.each(['a', '_', '0', 'phase_0', 'v1.2-rc', 'a'.repeat(100)])('%j may be the name of a file', (name) => {
  expect(isSafeName(name)).toBe(true);
});

it.each(['', '.', '..', '.a', '-a', 'a/b', 'a\\b', 'a b', 'a..b', 'é', '😀', 'a\n', 'a\0', 'a'.repeat(101)])(
  '%j may not',
  (name) => {
    expect(isSafeName(name)).toBe(false);
  },
);

it('accepts only letters, digits and a few other characters, whatever the input', () => {
  const near = fc.string({ unit: fc.constantFrom(...'aZ09_.-/ é😀\n'), maxLength: 103 });
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (text) => {
      expect(isSafeName(text)).toBe(SAFE.test(text) && !text.includes('..'));
    }),
  );
});
