/**
 * Repeatable randomness. A source is named by a text, which alone determines its values, so two sources
 * forked from one under different names do not depend on the order of calls.
 */
import { createHash } from 'node:crypto';

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number, both ends included. */
  integer(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** At most `count` of them, in their original order. */
  sample<Item>(items: readonly Item[], count: number): readonly Item[];
  shuffle<Item>(items: readonly Item[]): readonly Item[];
  bytes(count: number): Buffer;
  fork(name: string): Random;
}

export function createRandom(name: string): Random {
  const digest = createHash('sha256').update(name).digest();
  const words = Uint32Array.from([0, 4, 8, 12], (offset) => digest.readUInt32LE(offset));
  const [first = 0, second = 0, third = 0, fourth = 0] = words;
  let [a, b, c, counter] = [first, second, third, fourth];

  /** A small fast counting generator: three mixed words and a counter, 32 bits per call. */
  const word = (): number => {
    const sum = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  };
  const next = (): number => word() / 0x1_0000_0000;
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const shuffledPlaces = (count: number): number[] => {
    const places = Array.from({ length: count }, (_, place) => place);
    for (let last = count - 1; last > 0; last -= 1) {
      const other = integer(0, last);
      const [one = 0, two = 0] = [places[last], places[other]];
      places[last] = two;
      places[other] = one;
    }
    return places;
  };

  return {
    next,
    integer,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[integer(0, items.length - 1)] as Item;
    },
    sample<Item>(items: readonly Item[], count: number): readonly Item[] {
      if (count >= items.length) return items;
      const chosen = new Set(shuffledPlaces(items.length).slice(0, count));
      return items.filter((_, place) => chosen.has(place));
    },
    shuffle<Item>(items: readonly Item[]): readonly Item[] {
      return shuffledPlaces(items.length).map((place) => items[place] as Item);
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => word() & 0xff)),
    fork: (part) => createRandom(`${name}/${part}`),
  };
}
