import { crc32 as zlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, crc32Between, crc32Here } from '../../src/model/crc32.ts';

describe('the checksum of a record', () => {
  it('matches a known value', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(crc32('')).toBe(0);
  });

  it("matches Node's own, for text and bytes of any length", () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 5000 }), (written, bytes) => {
        expect([crc32Here(written), crc32(written)]).toEqual([zlib(written), zlib(written)]);
        expect([crc32Here(bytes), crc32(bytes)]).toEqual([zlib(bytes), zlib(bytes)]);
      }),
    );
  });

  it("matches Node's own for a part of some bytes, short or long, few or many", () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    fc.assert(
      fc.property(bytes, fc.nat(3000), fc.nat(3000), (data, one, other) => {
        const [start, end] = [one, other].map((at) => Math.min(at, data.length)).sort((a, b) => a - b);
        expect(crc32Between(data, start ?? 0, end ?? 0)).toBe(zlib(data.subarray(start, end)));
      }),
      { numRuns: 1000 },
    );
  });
});
