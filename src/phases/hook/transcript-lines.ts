/** The bytes of a transcript, which may be hundreds of megabytes: only lines that hold a mark are made into values. */
import fs from 'node:fs';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';

const NEWLINE = 10;

/** Values of the lines that hold one of the marks, each once. */
export function* linesWith(bytes: Buffer, marks: readonly string[]): Generator<JsonObject> {
  const seen = new Set<number>();
  for (const mark of marks) {
    for (let at = bytes.indexOf(mark); at !== -1; ) {
      const start = bytes.lastIndexOf(NEWLINE, at) + 1;
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline === -1 ? bytes.length : newline;
      if (!seen.has(start)) {
        seen.add(start);
        const line = parseJsonObject(bytes.toString('utf8', start, end));
        if (line !== undefined) yield line;
      }
      at = bytes.indexOf(mark, end);
    }
  }
}

/** The last bytes of a file. */
export function readEnd(path: string, most: number): Buffer | undefined {
  return reading(path, (fd, size) => {
    const bytes = Buffer.allocUnsafe(Math.min(size, most));
    const read = fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, read);
  });
}

const FIRST_LINE_BYTES = 1024 * 1024;

export function firstLine(path: string): string | undefined {
  return reading(path, (fd, size) => {
    const bytes = Buffer.allocUnsafe(Math.min(size, FIRST_LINE_BYTES));
    const read = fs.readSync(fd, bytes, 0, bytes.length, 0);
    const end = bytes.indexOf(NEWLINE);
    return bytes.toString('utf8', 0, end === -1 || end > read ? read : end);
  });
}

/** What cannot be read is not there: a transcript is a hint. */
function reading<Value>(path: string, read: (fd: number, size: number) => Value): Value | undefined {
  try {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const stat = fs.fstatSync(fd);
      return stat.isFile() ? read(fd, stat.size) : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
