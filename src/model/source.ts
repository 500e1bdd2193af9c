/** A file the user wrote, with the text that positions count in. */
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
  readonly lineText: string;
}

export function positionAt(file: SourceFile, offset: number): SourcePosition {
  const { text } = file;
  const at = Math.max(0, Math.min(offset, text.length));
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const lineEnd = newline === -1 ? text.length : newline;
  let line = 1;
  for (let i = text.indexOf('\n'); i !== -1 && i < lineStart; i = text.indexOf('\n', i + 1)) line += 1;
  return {
    line,
    column: [...text.slice(lineStart, at)].length + 1,
    lineText: text.slice(lineStart, lineEnd).replace(/\r$/, ''),
  };
}
