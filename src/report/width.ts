/** How many columns of a terminal a text takes, and texts cut to fit. */
const ASCII = /^[\u0020-\u007e]*$/;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const PICTOGRAPH = /\p{Emoji_Presentation}/u;

/** Two columns each (East Asian wide and full-width), apart from pictographs. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** As much of the text as fits into `columns`; what was cut is marked by `…`. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const char of text) {
    const next = charWidth(char);
    if (width + next > columns - 1) break;
    kept += char;
    width += next;
  }
  return `${kept}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

export function padStartTo(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}

function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x300) return code === 0xad ? 0 : 1;
  if (NO_WIDTH.test(char)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) || PICTOGRAPH.test(char) ? 2 : 1;
}
