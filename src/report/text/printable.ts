/**
 * Text of steps and agents made safe to show: nothing in it can move the cursor, change colours, talk to the terminal, hide or turn the
 * direction of what stands around it. Whole escape sequences are left out; what is left of a broken one becomes visible.
 */
import { isSuspect, visible } from '../../model/visible.ts';

const SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

/** Keeps newlines and tabs; a carriage return, which would write over its line, ends the line. */
export function printable(text: string): string {
  if (!isSuspect(text)) return text;
  return visible(text.replace(SEQUENCE, '').replace(/\r\n?/g, '\n'));
}

/** The colours of palette.ts and render-diagnostic.ts. */
const OWN_COLOR = /(\u001b\[(?:0|1|2|22|31|32|33|34|36|39|1;31|1;33)m)/;

const NO_COLOR = '\u001b[0m';
const COLOR_ENDS = ['\u001b[22m', '\u001b[39m', NO_COLOR];

/** Keeps the colours that this program uses too, where `hasColor`; one that a quoted text has begun ends with the text. */
export function printableTalk(text: string, hasColor: () => boolean): string {
  if (!isSuspect(text)) return text;
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
