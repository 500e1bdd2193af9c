/**
 * Text of steps and agents made safe to show: nothing in it can move the cursor, change colours, talk to the terminal or turn the
 * direction of what stands around it. Whole escape sequences are left out; what is left of a broken one becomes visible.
 */
const SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;
const SUSPECT = /[^\t\n\u0020-\u007e\u00a0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\uffff]/;

/** Keeps newlines and tabs; a carriage return, which would write over its line, ends the line. */
export function printable(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(SEQUENCE, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSAFE, (char) => picture(char.charCodeAt(0)));
}

/** The colours of palette.ts. */
const OWN_COLOR = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

const COLOR_ENDS = ['\u001b[22m', '\u001b[39m'];
const NO_COLOR = '\u001b[0m';

/** Keeps the colours that this program uses too, where `hasColor`; one that a quoted text has begun ends with the text. */
export function printableTalk(text: string, hasColor: () => boolean): string {
  if (!SUSPECT.test(text)) return text;
  if (!hasColor()) return printable(text);
  const parts = text.split(OWN_COLOR);
  const last = parts.at(-2);
  const end = last === undefined || COLOR_ENDS.includes(last) ? '' : NO_COLOR;
  return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('') + end;
}

/** Nearly all texts: nothing to replace, which would make most of them anew. */
const IS_TIDY = /^\S+(?: \S+)*$/;

/** On one line: runs of white space become one space. */
export function printableLine(text: string): string {
  const safe = printable(text);
  return IS_TIDY.test(safe) ? safe : safe.replace(/\s+/g, ' ').trim();
}

/** The last `count` lines that hold anything. */
export function lastLines(text: string, count: number): readonly string[] {
  const lines = printable(text)
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.slice(-count);
}

function picture(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
