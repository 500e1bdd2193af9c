import { widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Columns as wide as their widest text, two spaces between them. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map((column) => column.title), ...rows];
  // Of each text once: a table of thousands of rows is most of what its command does.
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
