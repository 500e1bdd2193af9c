import { crc32 as zlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, crc32Here } from '../../src/model/crc32.ts';

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
});
