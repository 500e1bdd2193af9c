import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from '../../src/model/iso-time.ts';

it('is written as `toISOString` writes it', () => {
  const fourDigitYears = fc.date({
    min: new Date('1000-01-01'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(fourDigitYears, (at) => {
      expect(isoTime(at.getTime())).toBe(at.toISOString());
    }),
  );
});

it('is now where no time is given', () => {
  const before = Date.now();
  const now = Date.parse(isoTime());
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
