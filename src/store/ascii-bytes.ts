/** Reading ASCII in bytes by position, without making texts of it. */

export const ZERO = 48;
const NINE = 57;

export function isAt(bytes: Buffer, start: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i += 1) if (bytes[start + i] !== expected[i]) return false;
  return true;
}

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

export function endOfDigits(bytes: Buffer, start: number): number {
  let end = start;
  while (isDigit(bytes[end] ?? 0)) end += 1;
  return end;
}

/** The number whose digits are `bytes[start, end)`. */
export function numberIn(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] ?? 0) - ZERO;
  return value;
}
