/**
 * Explains indentation mistakes. The library reports where it lost track; this finds the line at fault and the indentation of
 * its neighbours.
 */
import type { YAMLError } from 'yaml';

export interface IndentationSlip {
  /** From the first character of the line that is not a space to the end of its word. */
  readonly range: readonly [number, number];
  readonly message: string;
  readonly help: string;
}

/** A line that is not empty. */
interface Line {
  /** Offset of its first character that is not a space. */
  readonly start: number;
  readonly indent: number;
  /** Without indentation. */
  readonly text: string;
}

/** The library's message for a key between a list and the keys of its items. */
const LOST_ITEM = 'Sequence item without';
const KEY = /^(?:- +)*(?<key>[\w.-]+|"[^"]*"|'[^']*')\s*:(?:\s|$)/;

/** Undefined for other problems. */
export function explainIndentation(text: string, problem: YAMLError): IndentationSlip | undefined {
  switch (problem.code) {
    case 'BAD_INDENT':
      return betweenLevels(text, problem.pos[0]);
    case 'MISSING_CHAR':
      return problem.message.startsWith(LOST_ITEM) ? betweenLevels(text, problem.pos[0]) : undefined;
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return belowAValue(text, problem.pos[0]);
    default:
      // Partial: the other problems do not concern indentation.
      return undefined;
  }
}

/** A line that starts in a column in which nothing above it starts. */
function betweenLevels(text: string, offset: number): IndentationSlip | undefined {
  const line = lineAt(text, offset);
  if (line === undefined) return undefined;
  const isItem = line.text.startsWith('- ');
  const levels = levelsAbove(text, line, isItem);
  if (levels.length === 0 || levels.includes(line.indent)) return undefined;
  const what = isItem ? 'items of lists' : 'keys';
  return {
    range: wordOf(line),
    message: `this line is indented by ${spaces(line.indent)}, but the ${what} above it by ${listed(levels)}`,
    help: 'lines that belong together must start in the same column',
  };
}

/** A key below one that already has a value: `name: x`, and under it, deeper, `steps:`. */
function belowAValue(text: string, offset: number): IndentationSlip | undefined {
  const above = lineAt(text, offset);
  const next = above === undefined ? undefined : lineAfter(text, above);
  if (above === undefined || next === undefined || !isInOneLine(text, offset)) return undefined;
  const [owner, key] = [KEY.exec(above.text)?.groups?.['key'], KEY.exec(next.text)?.groups?.['key']];
  const column = above.indent + dashes(above.text);
  if (owner === undefined || key === undefined || next.indent <= column) return undefined;
  return {
    range: wordOf(next),
    message: `\`${key}\` is indented deeper than \`${owner}\`, which already has a value`,
    help: `${column === 0 ? 'start it in the first column' : `indent it by ${spaces(column)}`} like \`${owner}\`, or quote a value that spans several lines`,
  };
}

/** The columns of open collections above the line, outermost first. */
function levelsAbove(text: string, line: Line, ofItems: boolean): readonly number[] {
  const levels = new Set<number>();
  let lowest = Number.POSITIVE_INFINITY;
  for (let above = lineBefore(text, line); above !== undefined; above = lineBefore(text, above)) {
    if (above.indent >= lowest) continue;
    const keys = above.indent + dashes(above.text);
    const isItem = keys > above.indent;
    if (isItem && ofItems) levels.add(above.indent);
    if (!ofItems && KEY.test(above.text) && keys < lowest) levels.add(keys);
    lowest = above.indent;
    if (lowest === 0) break;
  }
  return [...levels].sort((a, b) => a - b);
}

/** `- - name` → 4. */
function dashes(text: string): number {
  return /^(?:- +)*/.exec(text)?.[0].length ?? 0;
}

/** Whether the value that starts here is plain text, which should end with its line. */
function isInOneLine(text: string, offset: number): boolean {
  return !/["'[{|>&*!]/.test(text[offset] ?? '');
}

function lineAt(text: string, offset: number): Line | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return lineOf(text, start, end === -1 ? text.length : end);
}

function lineAfter(text: string, line: Line): Line | undefined {
  for (let end = text.indexOf('\n', line.start); end !== -1; ) {
    const start = end + 1;
    end = text.indexOf('\n', start);
    const found = lineOf(text, start, end === -1 ? text.length : end);
    if (found !== undefined) return found;
  }
  return undefined;
}

function lineBefore(text: string, line: Line): Line | undefined {
  for (let end = text.lastIndexOf('\n', line.start - 1); end > 0; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const found = lineOf(text, start, end);
    if (found !== undefined) return found;
    end = start - 1;
  }
  return undefined;
}

/** Undefined for an empty line or a comment. */
function lineOf(text: string, start: number, end: number): Line | undefined {
  const whole = text.slice(start, end);
  const indent = whole.length - whole.trimStart().length;
  const kept = whole.trim();
  return kept === '' || kept.startsWith('#') ? undefined : { start: start + indent, indent, text: kept };
}

function wordOf({ start, text }: Line): readonly [number, number] {
  return [start, start + (/^[^\s:]+/.exec(text)?.[0].length ?? 1)];
}

function listed(levels: readonly number[]): string {
  const last = levels.at(-1) ?? 0;
  return levels.length === 1 ? spaces(last) : `${levels.slice(0, -1).join(', ')} or ${spaces(last)}`;
}

function spaces(count: number): string {
  return count === 1 ? '1 space' : `${count} spaces`;
}
