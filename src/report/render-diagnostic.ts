/** Diagnostics in the form people read: the mistake, its place, the source line with a marker, and what to do. */
import { withoutCredentials } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { positionAt, type SourceRange } from '../model/source.ts';
import { type Cell, cellsOf, neutralised } from './text/display-width.ts';

export interface RenderOptions {
  readonly color: boolean;
  /** Number of diagnostics shown in full; the rest are only counted. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 100;
const LINE_WIDTH = 100;
/** Cells kept before the marked place when a line is shortened. */
const LEAD = 30;
/** In UTF-16 units; more than any shortened line shows. */
const NEIGHBOURHOOD = 1000;

type Paint = (style: keyof typeof STYLES, text: string) => string;
const STYLES = { error: '1;31', warning: '1;33', strong: '1', gutter: '34', help: '36' } as const;

export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: RenderOptions): string {
  if (diagnostics.length === 0) return '';
  const paint: Paint = (style, text) => (options.color ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text);
  const shown = diagnostics.slice(0, options.limit ?? DEFAULT_LIMIT);
  const blocks = shown.map((diagnostic) => renderOne(diagnostic, paint));
  if (shown.length < diagnostics.length) {
    blocks.push(`… and ${diagnostics.length - shown.length} more\n`);
  }
  return `${blocks.join('\n')}\n${paint('strong', summary(diagnostics))}\n`;
}

function renderOne(diagnostic: Diagnostic, paint: Paint): string {
  const { code, severity, message, range, path, related, help } = diagnostic;
  const lines = [`${paint(severity, `${severity}[${code}]`)}: ${paint('strong', neutralised(message))}`];
  const width = range === undefined ? 2 : String(positionAt(range.file, range.start).line).length;
  const arrow = `${' '.repeat(width)}${paint('gutter', '-->')}`;
  if (range !== undefined)
    lines.push(`${arrow} ${placeOf(range)}`, ...renderSource(range, { width, severity, paint }));
  else if (path !== undefined) lines.push(`${arrow} ${neutralised(path)}`);
  for (const place of related ?? []) {
    lines.push(
      `${paint('strong', 'note')}: ${neutralised(place.message)}`,
      `${arrow} ${placeOf(place.range)}`,
    );
  }
  if (help !== undefined) lines.push(`${paint('help', 'help')}: ${neutralised(help)}`);
  return `${lines.join('\n')}\n`;
}

function placeOf(range: SourceRange): string {
  const { line, column } = positionAt(range.file, range.start);
  return `${neutralised(range.file.path)}:${line}:${column}`;
}

function renderSource(
  range: SourceRange,
  look: { readonly width: number; readonly severity: 'error' | 'warning'; readonly paint: Paint },
): readonly string[] {
  const { line, lineText, lineStart } = positionAt(range.file, range.start);
  const start = Math.min(range.start - lineStart, lineText.length);
  const end = Math.min(range.end - lineStart, lineText.trimEnd().length);
  const { source, before, marked } = markedLine(lineText, { start, end: Math.max(start, end) });
  const bar = look.paint('gutter', '|');
  const empty = `${' '.repeat(look.width)} ${bar}`;
  return [
    empty,
    `${look.paint('gutter', String(line).padStart(look.width))} ${bar} ${source}`.trimEnd(),
    `${empty} ${' '.repeat(before)}${look.paint(look.severity, '^'.repeat(Math.max(1, marked)))}`,
  ];
}

interface MarkedLine {
  readonly source: string;
  /** Cells before the mark, and under it. */
  readonly before: number;
  readonly marked: number;
}

/** Reads only the text near the mark, since a line may be megabytes long. */
function markedLine(text: string, mark: { readonly start: number; readonly end: number }): MarkedLine {
  const clip = Math.max(0, mark.start - NEIGHBOURHOOD);
  const near = withoutCredentials(text.slice(clip, mark.start + NEIGHBOURHOOD));
  const cells = cellsOf(near);
  const first = cells.findIndex((cell) => cell.end > mark.start - clip);
  const from = first === -1 ? cells.length : first;
  const after = cells.findIndex((cell) => cell.start >= mark.end - clip);
  const to = Math.max(from, after === -1 ? cells.length : after);
  return near.length === text.length && totalWidth(cells) <= LINE_WIDTH
    ? line(cells, from, to)
    : cut(cells, from, to);
}

function cut(cells: readonly Cell[], from: number, to: number): MarkedLine {
  const end = Math.max(from + 1, to);
  let left = from;
  for (let width = 0; left > 0 && width < LEAD; left -= 1) width += cells[left - 1]?.width ?? 0;
  let right = left;
  for (let width = 0; right < cells.length; right += 1) {
    width += cells[right]?.width ?? 0;
    if (width > LINE_WIDTH - 2) break;
  }
  const inside = line(cells.slice(left, right), from - left, Math.min(end, right) - left);
  const lead = left > 0 ? '…' : '';
  return {
    source: `${lead}${inside.source}${right < cells.length ? '…' : ''}`,
    before: inside.before + lead.length,
    marked: inside.marked,
  };
}

function line(cells: readonly Cell[], from: number, to: number): MarkedLine {
  return {
    source: cells.map((cell) => cell.shown).join(''),
    before: totalWidth(cells.slice(0, from)),
    marked: totalWidth(cells.slice(from, to)),
  };
}

function totalWidth(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const counts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ];
  const files = new Set(
    diagnostics.map((diagnostic) => diagnostic.range?.file.path ?? diagnostic.path ?? ''),
  );
  const [only = ''] = files;
  const found = counts.join(' and ');
  if (files.size === 1 && only === '') return found;
  return `${found} in ${files.size === 1 ? neutralised(only) : `${files.size} files`}`;
}
