/**
 * Reads a journal from start to end and reports what is intact (J1). It never writes (J6).
 *
 * R1 The result is the longest prefix of intact records.
 * R2 Bytes after that prefix without an intact record are a torn tail: a write was interrupted before any call returned.
 * R3 A damaged record with an intact one somewhere after it is damage: something else has changed the file. The exception: the bytes
 *    show that a power loss kept the later one and not the earlier, and neither was ever synced (F5). That is a torn tail too.
 */

import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { crc32 } from '../model/crc32.ts';
import { errnoWords } from '../model/describe-failure.ts';
import type { JournalEvent } from '../model/event.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { errnoOf } from './errno.ts';
import {
  checkHeader,
  decodeLastRecord,
  decodeRecord,
  HEADER,
  isNeverWritten,
  isTornHeader,
  NEWLINE,
  newlineFrom,
} from './journal-format.ts';
import type { Detail } from './journal-scan.ts';
import { openPlain } from './plain-file.ts';

/** Why a journal cannot be loaded. `line` counts from 1, `offset` is the byte at which that line starts. */
export type JournalDamage =
  | (Place & { readonly type: 'not-a-journal' })
  | (Place & { readonly type: 'damaged-header' })
  | (Place & { readonly type: 'unsupported-version'; readonly version: number })
  | (Place & {
      readonly type: 'damaged-record';
      /** The next intact line. */
      readonly wholeAgainAt: number;
      /** Number of intact records before the damage; all of them were visited. */
      readonly recordsBefore: number;
    })
  | (Place & {
      readonly type: 'wrong-sequence';
      readonly expected: number;
      readonly found: number;
      readonly recordsBefore: number;
    })
  | (Place & { readonly type: 'file-error'; readonly code: string });

interface Place {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

export interface Reader {
  /** Called for every intact record, in order. */
  visit(event: JournalEvent): void;
  /** Default: `full`. */
  readonly detail?: Detail;
}

export interface JournalRead {
  /** Bytes after the last intact record. */
  readonly tornBytes: number;
  /** Everything that was read. Undefined if the tail is torn. */
  readonly mark: JournalMark | undefined;
}

export interface JournalContents extends JournalRead {
  readonly events: JournalEvent[];
}

/** Identifies a journal and a length of it; for a view, the one it was built from. */
export interface JournalMark {
  readonly bytes: number;
  readonly records: number;
  /** CRC-32 of these bytes. */
  readonly checksum: string;
}

export interface JournalScan {
  readonly tornBytes: number;
  readonly records: number;
  /** CRC-32 of the whole lines that were read. */
  readonly checksum: number;
  /** Where the last intact line ends; 0 if not even the header is intact. */
  readonly wholeBytes: number;
}

const READ_BYTES = 1 << 20;
/** Most first records are shorter. */
const FIRST_BYTES = 1 << 16;

/** The first record that is not intact. */
interface BrokenRecord {
  readonly line: number;
  readonly offset: number;
  /** F5. */
  readonly isNeverWritten: boolean;
}

/** Whether the journal contains exactly what was marked. */
export function isMarked(path: string, mark: JournalMark): boolean {
  const fd = openPlain(path);
  try {
    return markedChecksum(fd, mark) !== undefined;
  } finally {
    closeFile(fd);
  }
}

/** The checksum of the journal; undefined if it does not contain exactly what was marked. */
export function markedChecksum(fd: number, mark: JournalMark): number | undefined {
  if (fs.fstatSync(fd).size !== mark.bytes) return undefined;
  const checksum = checksumOf(fd, mark.bytes);
  return markText(checksum) === mark.checksum ? checksum : undefined;
}

export function markText(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}

/** The checksum of the first `length` bytes. */
export function checksumOf(fd: number, length: number): number {
  const bytes = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(length, 1)));
  let checksum = 0;
  for (let position = 0; position < length; ) {
    const got = fs.readSync(fd, bytes, 0, Math.min(bytes.length, length - position), position);
    if (got === 0) break;
    checksum = crc32(bytes.subarray(0, got), checksum);
    position += got;
  }
  return checksum;
}

/** Reads a journal and keeps all its events. A long journal is read with `visitJournal`, which keeps none. */
export function readJournal(path: string): Result<JournalContents, JournalDamage> {
  const events: JournalEvent[] = [];
  const read = visitJournal(path, { visit: (event) => events.push(event) });
  return read.type === 'ok' ? ok({ ...read.value, events }) : read;
}

/** The first record of a journal, whatever follows it; undefined if there is none or it is damaged. */
export function readFirstRecord(path: string): JournalEvent | undefined {
  let fd: number | undefined;
  try {
    fd = openPlain(path);
    for (let size = FIRST_BYTES; ; size *= 4) {
      const bytes = Buffer.allocUnsafe(size);
      const end = fs.readSync(fd, bytes, 0, size, 0);
      const header = newlineFrom(bytes, 0, end);
      const newline = header === -1 ? -1 : newlineFrom(bytes, header + 1, end);
      if (newline !== -1) {
        if (checkHeader(bytes.subarray(0, header)).type !== 'current') return undefined;
        const record = decodeRecord(bytes, { start: header + 1, end: newline });
        return record?.seq === 1 ? record.event : undefined;
      }
      if (end < size) return undefined;
    }
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeFile(fd);
  }
}

/** For readers that do not own the run: changes nothing. */
export function visitJournal(path: string, reader: Reader): Result<JournalRead, JournalDamage> {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch (cause) {
    return error(fileError(path, cause));
  }
  try {
    const scan = scanJournal(fd, path, reader);
    if (scan.type === 'error') return scan;
    const { tornBytes, wholeBytes: bytes, records, checksum } = scan.value;
    const mark = tornBytes > 0 ? undefined : { bytes, records, checksum: markText(checksum) };
    return ok({ tornBytes, mark });
  } finally {
    closeFile(fd);
  }
}

export function scanJournal(
  fd: number,
  path: string,
  { visit, detail = 'full' }: Reader,
): Result<JournalScan, JournalDamage> {
  let records = 0;
  let checksum = 0;
  let bytes: Buffer = Buffer.allocUnsafe(READ_BYTES);
  let kept = 0;
  let position = 0;
  let line = 0;
  let offset = 0;
  let wholeBytes = 0;
  let broken: BrokenRecord | undefined;
  let wholeAgainAt: number | undefined;

  for (;;) {
    if (kept === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
    let got: number;
    try {
      got = fs.readSync(fd, bytes, kept, bytes.length - kept, position);
    } catch (cause) {
      return error(fileError(path, cause));
    }
    if (got === 0) break;
    position += got;
    const end = kept + got;
    // Before the lines are decoded, which changes their bytes.
    checksum = crc32(bytes.subarray(0, bytes.lastIndexOf(NEWLINE, end - 1) + 1), checksum);
    let start = 0;
    for (
      let newline = newlineFrom(bytes, kept, end);
      newline !== -1;
      newline = newlineFrom(bytes, start, end)
    ) {
      line += 1;
      if (line === 1) {
        const damage = headerDamage(path, bytes.subarray(start, newline));
        if (damage !== undefined) return error(damage);
        wholeBytes = newline + 1;
      } else {
        const record = decodeRecord(bytes, { start, end: newline }, detail);
        if (record === undefined || broken !== undefined) {
          broken ??= { line, offset, isNeverWritten: isNeverWritten(bytes.subarray(start, newline), offset) };
          const later = record ?? decodeLastRecord(bytes, start, newline);
          if (later !== undefined) wholeAgainAt ??= record === undefined ? line + 1 : line;
          if (later !== undefined && (later.synced > records || !broken.isNeverWritten))
            return error(recordDamage(path, broken, { again: wholeAgainAt ?? line, before: records }));
        } else if (record.seq !== records + 1) {
          return error(sequenceDamage(path, { line, offset }, { found: record.seq, before: records }));
        } else {
          records += 1;
          if (record.event !== undefined) visit(record.event);
          wholeBytes = offset + (newline + 1 - start);
        }
      }
      offset += newline + 1 - start;
      start = newline + 1;
    }
    bytes.copyWithin(0, start, end);
    kept = end - start;
  }

  if (line === 0 && !isTornHeader(bytes.subarray(0, kept))) {
    return error(headerDamage(path, bytes.subarray(0, kept)) ?? notAJournal(path));
  }
  return ok({ records, checksum, wholeBytes, tornBytes: position - wholeBytes });
}

export function fileError(path: string, cause: unknown): JournalDamage {
  const code = errnoOf(cause);
  const message = `cannot read the journal \`${path}\`: ${errnoWords(code)}`;
  return { type: 'file-error', path, line: 1, offset: 0, code, message };
}

function headerDamage(path: string, firstLine: Buffer): JournalDamage | undefined {
  const check = checkHeader(firstLine);
  const place = { path, line: 1, offset: 0 };
  switch (check.type) {
    case 'current':
      return undefined;
    case 'other-version':
      return {
        type: 'unsupported-version',
        ...place,
        version: check.version,
        message: `\`${path}\` is a journal of format version ${check.version}, but this program reads version 1; use the version of orchestrate that wrote it, or a newer one`,
      };
    case 'damaged':
      return {
        type: 'damaged-header',
        ...place,
        message: `the first line of the journal \`${path}\` is damaged: expected \`${HEADER.toString().trim()}\``,
      };
    case 'foreign':
      return notAJournal(path);
    default:
      return unreachable(check);
  }
}

function notAJournal(path: string): JournalDamage {
  return { type: 'not-a-journal', path, line: 1, offset: 0, message: `\`${path}\` is not a journal` };
}

function recordDamage(
  path: string,
  { line, offset }: BrokenRecord,
  found: { readonly again: number; readonly before: number },
): JournalDamage {
  return {
    type: 'damaged-record',
    ...{ path, line, offset },
    wholeAgainAt: found.again,
    recordsBefore: found.before,
    message: `line ${line} of the journal \`${path}\` (byte ${offset}) is damaged; the records before it (${found.before}) and those from line ${found.again} on are intact`,
  };
}

function sequenceDamage(
  path: string,
  place: { readonly line: number; readonly offset: number },
  what: { readonly found: number; readonly before: number },
): JournalDamage {
  const expected = what.before + 1;
  return {
    type: 'wrong-sequence',
    path,
    ...place,
    expected,
    found: what.found,
    recordsBefore: what.before,
    message: `line ${place.line} of the journal \`${path}\` (byte ${place.offset}) is record ${what.found}; expected record ${expected}`,
  };
}
