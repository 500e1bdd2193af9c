import { padStartTo, padTo, widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Columns as wide as their widest text, two spaces between them. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map((column) => column.title), ...rows];
  const widths = columns.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[index] ?? '')), 0),
  );
  return lines
    .map((line) =>
      columns
        .map((column, index) => {
          const text = line[index] ?? '';
          const width = widths[index] ?? 0;
          return column.align === 'right' ? padStartTo(text, width) : padTo(text, width);
        })
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
