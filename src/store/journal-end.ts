import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { errnoOf } from './errno.ts';
import { decodeRecord, HEADER, NEWLINE } from './journal-format.ts';
import { openPlain } from './plain-file.ts';

export interface JournalEnd {
  /** The number of the last whole record. */
  readonly records: number;
  /** Where it ends; what follows is torn. */
  readonly bytes: number;
}

const FIRST_WINDOW = 16 * 1024;

/** Reads only the last whole line, however long the journal is. Undefined if it is missing, or if this line is no record. */
export function readJournalEnd(path: string): JournalEnd | undefined {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
  try {
    const { size } = fs.fstatSync(fd);
    for (let window = FIRST_WINDOW; ; window *= 8) {
      const from = Math.max(0, size - window);
      const bytes = Buffer.alloc(size - from);
      const length = fs.readSync(fd, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, length).lastIndexOf(NEWLINE);
      const before = end <= 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
      if (before === -1 && from > 0) continue;
      if (from === 0 && end + 1 === HEADER.length && bytes.subarray(0, end + 1).equals(HEADER))
        return { records: 0, bytes: HEADER.length };
      const record = end === -1 ? undefined : decodeRecord(bytes, { start: before + 1, end });
      return record === undefined ? undefined : { records: record.seq, bytes: from + end + 1 };
    }
  } finally {
    closeFile(fd);
  }
}
