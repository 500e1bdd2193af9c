/**
 * Makes text from steps and agents safe to show: it cannot move the cursor, change colours, send commands to the terminal, or hide or
 * reverse the text around it. Complete escape sequences are removed; a broken one becomes visible.
 */
import { isSuspect, visible } from '../../model/visible.ts';

const SEQUENCE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

/** Keeps newlines and tabs; a carriage return, which would overwrite its line, becomes a newline. */
export function printable(text: string): string {
  if (!isSuspect(text)) return text;
  return visible(text.replace(SEQUENCE, '').replace(/\r\n?/g, '\n'));
}

/** The colours used in palette.ts and render-diagnostic.ts. */
const OWN_COLOR = /(\u001b\[(?:0|1|2|22|31|32|33|34|36|39|1;31|1;33)m)/;

const NO_COLOR = '\u001b[0m';
const COLOR_ENDS = ['\u001b[22m', '\u001b[39m', NO_COLOR];

/** Keeps this program's own colours if `hasColor`. A colour that a quoted text leaves open is closed at its end. */
export function printableTalk(text: string, hasColor: () => boolean): string {
  if (!isSuspect(text)) return text;
  if (!hasColor()) return printable(text);
  const parts = text.split(OWN_COLOR);
  const last = parts.at(-2);
  const end = last === undefined || COLOR_ENDS.includes(last) ? '' : NO_COLOR;
  return parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('') + end;
}

/** Matches nearly all texts: these need no replacing, which would copy them. */
const IS_TIDY = /^\S+(?: \S+)*$/;

/** Makes text a single line: runs of white space become one space. */
export function printableLine(text: string): string {
  const safe = printable(text);
  return IS_TIDY.test(safe) ? safe : safe.replace(/\s+/g, ' ').trim();
}

/** The last `count` lines, without empty lines at the end. */
export function lastLines(text: string, count: number): readonly string[] {
  const lines = printable(text)
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.slice(-count);
}
