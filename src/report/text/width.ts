import { cellsIn, cellsOf } from './display-width.ts';

const ASCII = /^[\u0020-\u007e]*$/;

/** Number of terminal columns a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return cellsOf(text).reduce((sum, cell) => sum + cell.width, 0);
}

/** Shortens the text to `columns`, with `…` at the end. Only the beginning of a long text is read. */
export function cutTo(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text;
  let kept = '';
  let width = 0;
  let fitting = 0;
  for (const cell of cellsIn(text)) {
    width += cell.width;
    if (width > columns) return columns <= 0 ? '' : `${kept.slice(0, fitting)}…`;
    kept += cell.shown;
    if (width < columns) fitting = kept.length;
  }
  return text;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

const USUAL_COLUMNS = 80;

/** The width of a terminal, or the usual width if it does not report one. */
export function columnsOf(stream: { readonly columns?: number | undefined }): number {
  return stream.columns === undefined || stream.columns < 1 ? USUAL_COLUMNS : stream.columns;
}
