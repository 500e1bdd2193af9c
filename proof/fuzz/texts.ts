/** Nearly valid texts: mutations of valid ones by users, agents and broken disks. */
import fc from 'fast-check';

/** Pieces that have a meaning for some parser. */
const TELLING = [
  ...[
    '${',
    '}',
    '${a}',
    '${a.b}',
    '$$',
    '\\',
    "'",
    '"',
    '`',
    '$(',
    ')',
    ';',
    '&&',
    '|',
    '\n',
    '\r\n',
    '\t',
    '\0',
  ],
  ...[
    '- ',
    ': ',
    '&a',
    '*a',
    '!!js/function',
    '<<: *a',
    '? ',
    '|-',
    '>',
    '[',
    ']',
    '{',
    ',',
    '#',
    '%YAML 1.1',
    '---',
  ],
  ...[
    '\uFEFF',
    '\u2028',
    '\u202E',
    '\uD800',
    'é',
    '𝄞',
    '__proto__',
    'constructor',
    'null',
    '1e999',
    '-0',
    '0x1F',
  ],
];

export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...TELLING), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));

/** A valid text with pieces removed, duplicated or replaced. */
export function nearly(good: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat({ max: good.length }),
    length: fc.nat({ max: 12 }),
    put: fc.oneof(fc.constantFrom(...TELLING), fc.string({ unit: 'binary', maxLength: 4 }), fc.constant('')),
  });
  return fc
    .array(edit, { minLength: 1, maxLength: 6 })
    .map((edits) =>
      edits.reduce(
        (text, { at, length, put }) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + length),
        good,
      ),
    );
}

/** Bytes in pieces, split anywhere, also within a character. */
export function inPieces(bytes: Buffer): fc.Arbitrary<readonly Buffer[]> {
  return fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }).map((places) => {
    const cuts = [0, ...[...places].sort((a, b) => a - b), bytes.length];
    return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
  });
}
