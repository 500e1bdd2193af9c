/** CRC-32 as in zip and gzip; text counts as its UTF-8 bytes. */

/** Loading Node's own costs as much as this one needs for hundreds of short records. */
const SHORT_BYTES = 4096;
const FEW_CALLS = 200;

let native: ((data: string | Uint8Array) => number) | undefined;
let calls = 0;

export function crc32(data: string | Uint8Array): number {
  calls += 1;
  if (native === undefined && (calls > FEW_CALLS || data.length > SHORT_BYTES)) {
    native = process.getBuiltinModule('node:zlib').crc32;
  }
  return native === undefined ? crc32Here(data) : native(data);
}

let table: Uint32Array | undefined;

export function crc32Here(data: string | Uint8Array): number {
  table ??= makeTable();
  let crc = 0xffffffff;
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let at = 0; at < bytes.length; at += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
}
