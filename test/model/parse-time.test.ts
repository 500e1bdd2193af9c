import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTime } from '../../src/model/parse-time.ts';

describe('the time of a record', () => {
  it('is what Date.parse makes of it, in the usual form and in any other', () => {
    const usual = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    const digits = fc.stringMatching(/^[-+0-9]{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    const odd = fc
      .tuple(usual, fc.nat(23), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([time, at, letter]) => `${time.slice(0, at)}${letter}${time.slice(at + 1)}`);
    fc.assert(
      fc.property(fc.oneof(usual, digits, odd, fc.string()), (text) => {
        expect(parseTime(text)).toBe(Date.parse(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('changes with the day', () => {
    for (const text of ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-01-31T00:00:00.001Z'])
      expect(parseTime(text)).toBe(Date.parse(text));
  });
});
