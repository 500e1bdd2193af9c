/** CRC-32 as in zip and gzip; text counts as its UTF-8 bytes. */
import { nativeFunctions } from './native-functions.ts';

/** `before`: the checksum of the preceding data. */
type Crc32 = (data: string | Uint8Array, before: number) => number;

/** Loading `node:zlib` takes 1.5 to 2.6 ms; the implementation below takes 1 ms for the records of a short run. */
const SHORT_BYTES = 4096;
const FEW_CALLS = 200;

let zlib: Crc32 | undefined;
let ofShort: Crc32 | undefined;
let calls = 0;

export function crc32(data: string | Uint8Array, before = 0): number {
  calls += 1;
  if (zlib === undefined && (calls > FEW_CALLS || data.length > SHORT_BYTES)) {
    zlib = process.getBuiltinModule('node:zlib').crc32;
  }
  return zlib === undefined ? crc32OfShort(data, before) : zlib(data, before);
}

function crc32OfShort(data: string | Uint8Array, before: number): number {
  ofShort ??= nativeFunctions()?.crc32 ?? crc32Here;
  return ofShort(data, before);
}

/** For half a byte. A larger table takes longer to build than it saves on a few short records. */
const TABLE = [
  0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320,
  0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
];

export function crc32Here(data: string | Uint8Array, before = 0): number {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  let crc = ~before;
  for (let at = 0; at < bytes.length; at += 1) {
    crc ^= bytes[at] ?? 0;
    crc = (crc >>> 4) ^ (TABLE[crc & 15] ?? 0);
    crc = (crc >>> 4) ^ (TABLE[crc & 15] ?? 0);
  }
  return ~crc >>> 0;
}

/** Above this, calling the native function costs less than what it saves. */
const LONG_BYTES = 1024;
/** Below this, a large table takes longer to build than it saves. */
const FEW_BYTES = 1 << 16;

let shortBytes = 0;
let tables: Tables | undefined;

/** The checksum of `bytes[start, end)`: of hundreds of thousands of short lines, a third faster than native calls. */
export function crc32Between(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > LONG_BYTES) return crc32(bytes.subarray(start, end));
  if (tables === undefined) {
    shortBytes += end - start;
    if (shortBytes < FEW_BYTES) return crc32OfShort(bytes.subarray(start, end), 0);
    tables = makeTables();
  }
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  let crc = -1;
  let at = start;
  // Eight bytes at a time, each with the table of its distance from the last.
  for (; at + 8 <= end; at += 8) {
    const first =
      crc ^
      (byte(bytes, at) |
        (byte(bytes, at + 1) << 8) |
        (byte(bytes, at + 2) << 16) |
        (byte(bytes, at + 3) << 24));
    crc =
      entry(t7, first & 255) ^
      entry(t6, (first >>> 8) & 255) ^
      entry(t5, (first >>> 16) & 255) ^
      entry(t4, first >>> 24) ^
      entry(t3, byte(bytes, at + 4)) ^
      entry(t2, byte(bytes, at + 5)) ^
      entry(t1, byte(bytes, at + 6)) ^
      entry(t0, byte(bytes, at + 7));
  }
  for (; at < end; at += 1) crc = entry(t0, (crc ^ byte(bytes, at)) & 255) ^ (crc >>> 8);
  return ~crc >>> 0;
}

type Table = Int32Array;
type Tables = readonly [Table, Table, Table, Table, Table, Table, Table, Table];

function makeTables(): Tables {
  const first = Int32Array.from({ length: 256 }, (_, value) => {
    let crc = value;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
    return crc;
  });
  const after = (table: Table): Table => table.map((crc) => entry(first, crc & 255) ^ (crc >>> 8));
  const second = after(first);
  const third = after(second);
  const fourth = after(third);
  const fifth = after(fourth);
  const sixth = after(fifth);
  const seventh = after(sixth);
  return [first, second, third, fourth, fifth, sixth, seventh, after(seventh)];
}

function entry(table: Table, index: number): number {
  return table[index] ?? 0;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
