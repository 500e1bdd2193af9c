/** Ways to damage a file as its writer never would. */
import type { Random } from '../random.ts';

export interface Damage {
  readonly bytes: Buffer;
  /** The first changed byte. */
  readonly from: number;
  /** After the last changed byte. */
  readonly to: number;
}

export function cutAt(whole: Buffer, length: number): Damage {
  return { bytes: whole.subarray(0, length), from: length, to: whole.length };
}

/** One bit, a byte, or a few bytes at once. */
export function flipped(whole: Buffer, random: Random): Damage {
  const bytes = Buffer.from(whole);
  const from = random.integer(0, whole.length - 1);
  const way = random.next();
  if (way < 0.6) {
    bytes[from] = (whole[from] ?? 0) ^ (1 << random.integer(0, 7));
    return { bytes, from, to: from + 1 };
  }
  const length = way < 0.9 ? 1 : random.integer(2, 8);
  const to = Math.min(whole.length, from + length);
  for (let at = from; at < to; at += 1) bytes[at] = (whole[at] ?? 0) ^ random.integer(1, 255);
  return { bytes, from, to };
}
