/**
 * Reads a journal from start to end and reports what is intact. It never writes (J6).
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
  newlineFrom,
} from './journal-format.ts';
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
      /** The events before the damage. */
      readonly before: readonly JournalEvent[];
    })
  | (Place & {
      readonly type: 'wrong-sequence';
      readonly expected: number;
      readonly found: number;
      readonly before: readonly JournalEvent[];
    })
  | (Place & { readonly type: 'file-error'; readonly code: string });

interface Place {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

export interface JournalContents {
  readonly events: JournalEvent[];
  /** Bytes after the last intact record. */
  readonly tornBytes: number;
}

/** Identifies a journal and a length of it; for a view, the one it was built from. */
export interface JournalMark {
  readonly bytes: number;
  readonly records: number;
  /** CRC-32 of these bytes. */
  readonly checksum: string;
}

export interface JournalScan extends JournalContents {
  /** Where the last intact line ends; 0 if not even the header is intact. */
  readonly wholeBytes: number;
}

const READ_BYTES = 1 << 20;

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
    return fs.fstatSync(fd).size === mark.bytes && markText(checksumOf(fd, mark.bytes)) === mark.checksum;
  } finally {
    closeFile(fd);
  }
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

/** For readers that do not own the run: changes nothing. */
export function readJournal(path: string): Result<JournalContents, JournalDamage> {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch (cause) {
    return error(fileError(path, cause));
  }
  try {
    const scan = scanJournal(fd, path);
    if (scan.type === 'error') return scan;
    return ok({ events: scan.value.events, tornBytes: scan.value.tornBytes });
  } finally {
    closeFile(fd);
  }
}

export function scanJournal(fd: number, path: string): Result<JournalScan, JournalDamage> {
  const events: JournalEvent[] = [];
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
        const record = decodeRecord(bytes, start, newline);
        if (record === undefined || broken !== undefined) {
          broken ??= { line, offset, isNeverWritten: isNeverWritten(bytes.subarray(start, newline), offset) };
          const later = record ?? decodeLastRecord(bytes, start, newline);
          if (later !== undefined) wholeAgainAt ??= record === undefined ? line + 1 : line;
          if (later !== undefined && (later.synced > events.length || !broken.isNeverWritten))
            return error(recordDamage(path, broken, { again: wholeAgainAt ?? line, before: events }));
        } else if (record.seq !== events.length + 1) {
          return error(sequenceDamage(path, { line, offset }, { found: record.seq, before: events }));
        } else {
          events.push(record.event);
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
  return ok({ events, wholeBytes, tornBytes: position - wholeBytes });
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
  found: { readonly again: number; readonly before: readonly JournalEvent[] },
): JournalDamage {
  return {
    type: 'damaged-record',
    ...{ path, line, offset },
    wholeAgainAt: found.again,
    before: found.before,
    message: `line ${line} of the journal \`${path}\` (byte ${offset}) is damaged; the records before it (${found.before.length}) and those from line ${found.again} on are intact`,
  };
}

function sequenceDamage(
  path: string,
  place: { readonly line: number; readonly offset: number },
  what: { readonly found: number; readonly before: readonly JournalEvent[] },
): JournalDamage {
  const expected = what.before.length + 1;
  return {
    type: 'wrong-sequence',
    path,
    ...place,
    expected,
    found: what.found,
    before: what.before,
    message: `line ${place.line} of the journal \`${path}\` (byte ${place.offset}) is record ${what.found}; expected record ${expected}`,
  };
}
