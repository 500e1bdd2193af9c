import { createHash } from 'node:crypto';
import { crc32 as zlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadNative } from '../../src/process/native.ts';
import { buildNative } from './build-helpers.ts';
import { createBench } from './rig.ts';

const bench = createBench();
buildNative(bench);
const native = loadNative(bench.folder);

describe.runIf(native !== undefined)('the checksum of the native part', () => {
  const crc32 = native?.crc32 ?? zlib;

  it("matches Node's own, for text and bytes after any others", () => {
    fc.assert(
      fc.property(
        ...[
          fc.string({ unit: 'binary' }),
          fc.uint8Array({ minLength: 1, maxLength: 5000 }),
          fc.nat(0xffffffff),
        ],
        (text, bytes, before) => {
          expect([crc32(text, before), crc32(bytes, before)]).toEqual([
            zlib(text, before),
            zlib(bytes, before),
          ]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is of the part that is given, and of nothing where nothing is', () => {
    const bytes = Buffer.from('0123456789abcdef');
    expect(crc32(bytes.subarray(3, 7), 0)).toBe(zlib('3456'));
    expect([crc32('', 7), crc32(new Uint8Array(0), 7)]).toEqual([7, 7]);
  });
});

describe.runIf(native !== undefined)('the digest of the native part', () => {
  const library = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const sha256 = native?.sha256 ?? library;

  it('agrees with the library for every length around its blocks', () => {
    for (let length = 0; length < 300; length += 1) {
      const bytes = Buffer.alloc(length, length);
      expect(sha256(bytes)).toBe(library(bytes));
    }
  });

  it('agrees with the library on any bytes, and on many', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.nat(9), (bytes, from) => {
        expect(sha256(bytes.subarray(from))).toBe(library(bytes.subarray(from)));
      }),
    );
    const long = Buffer.from(Array.from({ length: 1 << 18 }, (_, at) => at * 7));
    expect(sha256(long)).toBe(library(long));
  });
});
