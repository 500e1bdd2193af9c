import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/model/sha256.ts';

describe('sha256', () => {
  it('agrees with the library for every length around its blocks', () => {
    for (let length = 0; length < 300; length += 1) {
      const bytes = Buffer.alloc(length, length);
      expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('agrees with the library on long input', () => {
    const bytes = Buffer.alloc(16 * 1024 + 1, 'x');
    for (const input of [bytes, bytes.subarray(1)]) {
      expect(sha256(input)).toBe(createHash('sha256').update(input).digest('hex'));
    }
  });

  it('agrees with the library on any bytes and any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string({ unit: 'grapheme' }), (bytes, text) => {
        expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});
