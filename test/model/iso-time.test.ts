import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/model/iso-time.ts';

describe('a time as text', () => {
  it('is what Date makes of it, in any year', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (at) => {
        expect(isoTime(at)).toBe(at.toISOString());
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '1000-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2026-01-02T03:04:05.006Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
    '0999-12-31T23:59:59.999Z',
  ])('keeps %s', (text) => {
    expect(isoTime(new Date(text))).toBe(text);
  });

  it('is refused unless it is a time', () => {
    expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
  });
});
