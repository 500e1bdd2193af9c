import { cellsOf } from '../display-width.ts';

const ASCII = /^[\u0020-\u007e]*$/;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return cellsOf(text).reduce((sum, cell) => sum + cell.width, 0);
}

/** As much of the text as fits into `columns`; what was cut is marked by `…`. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let left = columns - 1;
  for (const cell of cellsOf(text)) {
    if (cell.width > left) break;
    kept += cell.shown;
    left -= cell.width;
  }
  return `${kept}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

const USUAL_COLUMNS = 80;

/** Of a terminal that does not tell its width, or tells none, the usual one. */
export function columnsOf(stream: { readonly columns?: number | undefined }): number {
  return stream.columns === undefined || stream.columns < 1 ? USUAL_COLUMNS : stream.columns;
}
