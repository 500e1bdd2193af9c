import { expect, test } from 'vitest';
import { paletteFor } from '../../src/report/text/palette.ts';
import { lastLines, printable, printableLine, printableTalk } from '../../src/report/text/printable.ts';
import { cutTo, padTo, widthOf } from '../../src/report/text/width.ts';

test.each([
  ['plain text is kept', 'a\tb\nc é 日本 🙂', 'a\tb\nc é 日本 🙂'],
  ['colours are removed', '\u001b[1;31mred\u001b[0m', 'red'],
  ['cursor movement is removed', 'a\u001b[2J\u001b[1;1Hb\u001b7\u001b(0', 'ab'],
  ['titles and links are removed', '\u001b]0;evil\u0007x\u001b]8;;http://e\u001b\\y', 'xy'],
  ['device control strings are removed', '\u001bPq#0\u001b\\z', 'z'],
  ['one-byte control sequences are removed', '\u009b31mred', 'red'],
  ['a broken sequence is made visible', 'a\u001b', 'a␛'],
  ['an unterminated title has no effect', 'a\u001b]0;t', 'a0;t'],
  ['control characters are made visible', 'a\u0007\u0008\u007f\u0085', 'a␇␈␡<U+0085>'],
  ['direction changes are made visible', 'a\u202eb\u2066', 'a<U+202E>b<U+2066>'],
  ['characters without width are made visible', 'a\u200bb\u2060c\ufeff', 'a<U+200B>b<U+2060>c<U+FEFF>'],
  ['hidden letters are made visible', 'a\u{e0041}\u{e0042}', 'a<U+E0041><U+E0042>'],
  ['a joiner is made visible if nothing needs it', 'pay\u200dpal\u200c', 'pay<U+200D>pal<U+200C>'],
  [
    'a joiner is kept in scripts and emoji that need it',
    'می\u200cخواهم 👩\u200d👧',
    'می\u200cخواهم 👩\u200d👧',
  ],
  ['a carriage return ends the line it would overwrite', '10%\r20%\r\nx', '10%\n20%\nx'],
])('%s', (_title, given, shown) => {
  expect(printable(given)).toBe(shown);
});

test.each([
  ['own colours are kept', '\u001b[31merror\u001b[39m: a', '\u001b[31merror\u001b[39m: a'],
  [
    'other sequences are removed',
    '\u001b[1mx\u001b[22m \u001b[2J\u001b]0;t\u0007\u001b[8my',
    '\u001b[1mx\u001b[22m y',
  ],
  [
    'a quoted colour is closed at the end of the text',
    'no `\u001b[32mgreen`\n',
    'no `\u001b[32mgreen`\n\u001b[0m',
  ],
])('of what is said on a terminal, %s', (_title, given, shown) => {
  expect(printableTalk(given, () => true)).toBe(shown);
  expect(printableTalk(given, () => false)).toBe(printable(given));
});

test('every colour of the palette is kept', () => {
  for (const [name, color] of Object.entries(paletteFor(true)))
    expect(printableTalk(color(name), () => true)).toBe(color(name));
});

test('a single line has no white space except single spaces', () => {
  expect(printableLine('  a\n\n b\tc ')).toBe('a b c');
});

test('the last lines omit empty lines at the end', () => {
  expect(lastLines('1\n2\n3  \n\n', 2)).toEqual(['2', '3']);
  expect(lastLines('', 2)).toEqual([]);
});

test('wide characters take two columns, combining marks none', () => {
  expect(widthOf('日本')).toBe(4);
  expect(widthOf('e\u0301🙂✓')).toBe(4);
  expect(cutTo('日本語', 5)).toBe('日本…');
  expect(cutTo('abc', 3)).toBe('abc');
  expect(padTo('日', 4)).toBe('日  ');
});
