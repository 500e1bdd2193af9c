import { withoutTrailing } from '../model/trailing.ts';

/** At most `most` lines to show under a heading, indented, and the number of omitted ones. Starts with a newline, or is empty. */
export function preview(text: string, most: number): string {
  const lines = linesOf(text);
  if (lines.length === 0) return '';
  const shown = lines.slice(0, most).map((line) => `     ${line}`);
  return `\n${[...shown, ...rest(lines.length - most)].join('\n')}`;
}

/** The same with line numbers: those in the text itself (`  12→…`), or from 1. */
export function numberedPreview(text: string, most: number): string {
  const lines = linesOf(text).map((line, index) => {
    const own = /^\s*(\d+)(?:→|\t)(.*)$/s.exec(line);
    return { number: own?.[1] ?? String(index + 1), line: own?.[2] ?? line };
  });
  if (lines.length === 0) return '';
  const shown = lines.slice(0, most).map(({ number, line }) => `${number.padStart(6)} | ${line}`);
  return `\n${[...shown, ...rest(lines.length - most)].join('\n')}`;
}

function linesOf(text: string): readonly string[] {
  return text.trim() === '' ? [] : withoutTrailing(text, '\n').split('\n');
}

function rest(more: number): readonly string[] {
  return more > 0 ? [`     ... (truncated, ${more} more ${more === 1 ? 'line' : 'lines'})`] : [];
}
