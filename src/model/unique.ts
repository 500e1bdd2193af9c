/**
 * Bytes for names that must differ, not for secrets: run ids, locks, temporary files, marks. `node:crypto` would give better ones but
 * costs 4 ms of the 75 ms that a run of one step takes.
 */
export function uniqueBytes(count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.floor(Math.random() * 256));
}

/** `count` bytes, two digits each. */
export function uniqueHex(count: number): string {
  let hex = '';
  while (hex.length < 2 * count) {
    hex += Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  }
  return hex.slice(0, 2 * count);
}
