import { widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Columns are as wide as their widest text, with two spaces between them. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map((column) => column.title), ...rows];
  // Each text is measured once: with thousands of rows this is most of the work.
  const sizes = lines.map((line) => columns.map((_, index) => widthOf(line[index] ?? '')));
  const widths = columns.map((_, index) => sizes.reduce((most, size) => Math.max(most, size[index] ?? 0), 0));
  let table = '';
  lines.forEach((line, at) => {
    let row = '';
    columns.forEach(({ align }, index) => {
      const text = line[index] ?? '';
      const space = ' '.repeat((widths[index] ?? 0) - (sizes[at]?.[index] ?? 0));
      row += `${index === 0 ? '' : '  '}${align === 'right' ? space + text : text + space}`;
    });
    table += `${row.trimEnd()}\n`;
  });
  return table;
}
