/** How text stands on a terminal: cells, not characters; and no character that could steer the terminal. */
import { visible } from '../model/visible.ts';

const TAB_WIDTH = 4;
/** Made when a text needs it: loading the tables of graphemes costs as much as the start of the program. */
let segmenter: Intl.Segmenter | undefined;

const PLAIN = /^[\x20-\x7e]*$/;
/** Made when a text needs them, too: the classes of characters are looked up while the expression is made. */
const unseen = () => /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const wide = () =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
export interface Cell {
  /** What is shown; a tab is spaces. */
  readonly shown: string;
  readonly width: number;
  /** UTF-16 offset in the text, and the one after it. */
  readonly start: number;
  readonly end: number;
}

export function cellsOf(text: string): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  const add = (written: string, start: number) => {
    const shown = written === '\t' ? ' '.repeat(TAB_WIDTH - (column % TAB_WIDTH)) : neutralised(written);
    const width = written === '\t' ? shown.length : widthOf(shown);
    cells.push({ shown, width, start, end: start + written.length });
    column += width;
  };
  if (PLAIN.test(text)) for (let at = 0; at < text.length; at += 1) add(text.charAt(at), at);
  else {
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const { segment, index } of segmenter.segment(text)) add(segment, index);
  }
  return cells;
}

/** On one line, and everything in it can be seen: a file cannot clear the screen or hide part of a line. */
export function neutralised(text: string): string {
  return visible(text).replaceAll('\n', '\u240a');
}

function widthOf(grapheme: string): number {
  if (PLAIN.test(grapheme)) return grapheme.length;
  if (unseen().test(grapheme)) return 0;
  return wide().test(grapheme) ? 2 : 1;
}
