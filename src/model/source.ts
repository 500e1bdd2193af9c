/** A file the user wrote, with the text that positions refer to. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Half-open range of UTF-16 offsets into `file.text`. */
export interface SourceRange {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in code points, as editors count. */
  readonly column: number;
  /** Without its line break. */
  readonly lineText: string;
  /** UTF-16 offset of the first character of the line. */
  readonly lineStart: number;
}

export function positionAt(file: SourceFile, offset: number): SourcePosition {
  const { text } = file;
  const at = Math.max(0, Math.min(offset, text.length));
  const starts = lineStartsOf(file);
  const line = lineAt(starts, at);
  const lineStart = starts[line] ?? 0;
  const lineEnd = starts[line + 1] ?? text.length + 1;
  return {
    line: line + 1,
    column: codePointsBefore(file, lineStart, at) + 1,
    lineText: text.slice(lineStart, lineEnd - 1).replace(/\r$/, ''),
    lineStart,
  };
}

/** A file with many diagnostics is split into lines once. */
const lineStarts = new WeakMap<SourceFile, readonly number[]>();

function lineStartsOf(file: SourceFile): readonly number[] {
  const known = lineStarts.get(file);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = file.text.indexOf('\n'); at !== -1; at = file.text.indexOf('\n', at + 1)) starts.push(at + 1);
  lineStarts.set(file, starts);
  return starts;
}

/** The last line that starts at or before the offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Counted {
  readonly lineStart: number;
  readonly at: number;
  readonly count: number;
}

/** Positions in a long line are mostly requested in order, so counting resumes at the last one. */
const counted = new WeakMap<SourceFile, Counted>();

function codePointsBefore(file: SourceFile, lineStart: number, at: number): number {
  const last = counted.get(file);
  const from = last?.lineStart === lineStart && last.at <= at ? last : { at: lineStart, count: 0 };
  let { count } = from;
  for (const _ of file.text.slice(from.at, at)) count += 1;
  counted.set(file, { lineStart, at, count });
  return count;
}
