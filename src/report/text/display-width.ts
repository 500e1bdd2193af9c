/** The width of text on a terminal, in cells, and text without characters that control the terminal. */
import { visible } from '../../model/visible.ts';

const TAB_WIDTH = 4;
/** Created on first use: loading the grapheme tables takes as long as starting the program. */
let segmenter: Intl.Segmenter | undefined;

const PLAIN = /^[\x20-\x7e]*$/;
/** Also created on first use: compiling the expressions looks up the character classes. */
let unseen: RegExp | undefined;
let wide: RegExp | undefined;

export interface Cell {
  /** The text shown; a tab becomes spaces. */
  readonly shown: string;
  readonly width: number;
  /** UTF-16 offset in the text, and the one after it. */
  readonly start: number;
  readonly end: number;
}

export function cellsOf(text: string): readonly Cell[] {
  return [...cellsIn(text)];
}

/** Yields cells one by one, so that only the needed part of a long text is processed. */
export function* cellsIn(text: string): Generator<Cell> {
  let column = 0;
  for (const { segment, index } of segmentsOf(text)) {
    const shown = segment === '\t' ? ' '.repeat(TAB_WIDTH - (column % TAB_WIDTH)) : neutralised(segment);
    const width = segment === '\t' ? shown.length : widthOf(shown);
    column += width;
    yield { shown, width, start: index, end: index + segment.length };
  }
}

/** Length of the text segmented at once: the time needed grows with its square. */
const WINDOW = 512;

function* segmentsOf(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
  if (PLAIN.test(text)) {
    for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index };
    return;
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let from = 0; from < text.length; ) {
    const end = windowEnd(text, from + WINDOW);
    const segments = [...segmenter.segment(text.slice(from, end))];
    // The last segment may continue after the window. One that fills the window is cut, since it is unreadable anyway.
    if (end < text.length && segments.length > 1) segments.pop();
    for (const { segment, index } of segments) yield { segment, index: from + index };
    const last = segments.at(-1);
    from += last === undefined ? WINDOW : last.index + last.segment.length;
  }
}

/** Moves the end so that it does not split a surrogate pair. */
function windowEnd(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** Makes text a single line with every character visible: a file cannot clear the screen or hide part of a line. */
export function neutralised(text: string): string {
  return visible(text).replaceAll('\n', '\u240a');
}

function widthOf(grapheme: string): number {
  if (PLAIN.test(grapheme)) return grapheme.length;
  unseen ??= /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
  if (unseen.test(grapheme)) return 0;
  wide ??=
    /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
  return wide.test(grapheme) ? 2 : 1;
}
