/** Reads transcripts, which may have hundreds of megabytes: only lines that contain a mark are parsed. */
import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import { textOf } from '../../store/text-of.ts';

const NEWLINE = 10;

/** The values of the lines that contain one of the marks, each once. */
export function* linesWith(bytes: Buffer, marks: readonly string[]): Generator<JsonObject> {
  const seen = new Set<number>();
  for (const mark of marks) {
    for (let at = bytes.indexOf(mark); at !== -1; ) {
      const { start, end } = lineAround(bytes, at);
      if (!seen.has(start)) {
        seen.add(start);
        const line = parseJsonObject(textOf(bytes, start, end));
        if (line !== undefined) yield line;
      }
      at = bytes.indexOf(mark, end);
    }
  }
}

const QUOTE = 34;

/** The values of the lines in which one of the names follows the mark, up to a quote; each once, whatever the number of names. */
export function* linesNaming(bytes: Buffer, mark: string, names: ReadonlySet<string>): Generator<JsonObject> {
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at)) {
    at += mark.length;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return;
    if (!names.has(textOf(bytes, at, quote))) continue;
    const { start, end } = lineAround(bytes, at);
    const line = parseJsonObject(textOf(bytes, start, end));
    if (line !== undefined) yield line;
    at = end;
  }
}

/** The value of the last complete line that contains the mark. */
export function lastLineWith(bytes: Buffer, mark: string): JsonObject | undefined {
  for (let at = bytes.lastIndexOf(mark); at !== -1; ) {
    const { start, end } = lineAround(bytes, at);
    const line = parseJsonObject(textOf(bytes, start, end));
    if (line !== undefined || start === 0) return line;
    at = bytes.lastIndexOf(mark, start - 1);
  }
  return undefined;
}

function lineAround(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const newline = bytes.indexOf(NEWLINE, at);
  return { start: bytes.lastIndexOf(NEWLINE, at) + 1, end: newline === -1 ? bytes.length : newline };
}

const BLOCK_BYTES = 64 * 1024;

/**
 * The last `most` bytes of a file, in blocks of whole lines. A block is valid until the next one is requested, which reuses the
 * same memory: touching new memory takes longer than the read.
 */
export function* blocksOfLines(path: string, most: number): Generator<Buffer> {
  const file = openFile(path);
  if (file === undefined) return;
  const { fd, size } = file;
  try {
    let bytes = Buffer.allocUnsafe(Math.min(size, most, BLOCK_BYTES));
    let kept = 0;
    for (let position = Math.max(0, size - most); position < size; ) {
      const read = fs.readvSync(fd, [bytes.subarray(kept)], position);
      if (read === 0) return;
      position += read;
      const length = kept + read;
      const end = position >= size ? length : bytes.lastIndexOf(NEWLINE, length - 1) + 1;
      if (end > 0) yield bytes.subarray(0, end);
      bytes.copyWithin(0, end, length);
      kept = length - end;
      if (kept === bytes.length) bytes = Buffer.concat([bytes], 2 * kept);
    }
  } catch {
    // An unreadable file counts as missing.
  } finally {
    closeFile(fd);
  }
}

export interface Ends {
  readonly firstLine: string;
  readonly last: Buffer;
}

/** The first line of a file and its last bytes; a short file is read only once. */
export function readEnds(path: string, most: number): Ends | undefined {
  return reading(path, (fd, size) => {
    const length = Math.min(size, most);
    const last = readAt(fd, { length, position: size - length });
    return { firstLine: length === size ? lineIn(last) : readFirstLine(fd, size), last };
  });
}

/** Nearly every first line fits in the first size; a line longer than the last size is cut and fails to parse. */
const FIRST_LINE_BYTES = [16 * 1024, 1024 * 1024];

function readFirstLine(fd: number, size: number): string {
  let line = '';
  for (const most of FIRST_LINE_BYTES) {
    const bytes = readAt(fd, { length: Math.min(size, most), position: 0 });
    line = lineIn(bytes);
    if (bytes.includes(NEWLINE)) break;
  }
  return line;
}

function lineIn(bytes: Buffer): string {
  return textOf(bytes, 0, lineAround(bytes, 0).end);
}

function readAt(fd: number, at: { readonly length: number; readonly position: number }): Buffer {
  const bytes = Buffer.allocUnsafe(at.length);
  const read = fs.readvSync(fd, [bytes], at.position);
  return read === bytes.length ? bytes : bytes.subarray(0, read);
}

/** A transcript is only a hint: if it cannot be read, it counts as missing. */
function reading<Value>(path: string, read: (fd: number, size: number) => Value): Value | undefined {
  const file = openFile(path);
  if (file === undefined) return undefined;
  try {
    return read(file.fd, file.size);
  } catch {
    return undefined;
  } finally {
    closeFile(file.fd);
  }
}

function openFile(path: string): { readonly fd: number; readonly size: number } | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return { fd, size: stat.size };
  } catch {
    // As above.
  }
  if (fd !== undefined) closeFile(fd);
  return undefined;
}
