/**
 * The bytes of `journal.jsonl` (J1), format version 1. JSON Lines in UTF-8; every line ends with one `\n`.
 *
 *   {"format":"orchestrate-journal","version":1,"crc":"<8 hex>"}
 *   {"seq":1,"synced":0,"type":"run-started","at":"…",…,"crc":"<8 hex>"}
 *   {"seq":2,"synced":0,…,"crc":"<8 hex>"}
 *
 * `crc` is the last member of each line: eight lower-case hex digits of the CRC-32 of the line's bytes before `,"crc"`. It is
 * at a fixed distance from the end, so a line is checked without being parsed. `seq` is the first member and counts from 1. `synced` is
 * the second: every record up to this one was known to be on the disk when the line was created.
 *
 * F1 The header is the same bytes in every journal of a version, so that a truncated header can be told from a foreign file.
 * F2 A record is intact only with its newline, a matching checksum and JSON between them.
 * F3 No byte of an intact record can change without F2 failing: the body is covered by the checksum, the rest is compared literally.
 * F4 `seq` increases by one from line to line; a gap or a repeat is damage, since the writer never makes one.
 * F5 A power loss keeps every synced record, and any of the sectors after them: one that was not written reads as zeros from
 *    the end of the synced bytes, or from its own start, up to its end. So a damaged record with an intact one after it was
 *    never synced if zeros of this shape are between them (`isNeverWritten`) and no intact record after it says that it was. Then no call has
 *    returned for it (J2) or anything after it, and all of that is removed like a torn tail. With any other bytes, or if a
 *    later record says that it was synced, something has damaged confirmed records: they are never removed without asking.
 */
import { crc32, crc32Between } from '../model/crc32.ts';
import type { JournalEvent } from '../model/event.ts';
import { isJsonObject } from '../model/json.ts';
import { endOfDigits, isAt, isDigit, numberIn, ZERO } from './ascii-bytes.ts';
import { type Detail, type Span, scanEvent } from './journal-scan.ts';

const FORMAT = 'orchestrate-journal';
const VERSION = 1;

export const NEWLINE = 10;
const COMMA = 44;
const LOWER_A = 97;
const LOWER_F = 102;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const SEQ = Buffer.from('{"seq":');
const SYNCED = Buffer.from(',"synced":');
const CRC = Buffer.from(',"crc":"');
const CLOSE = Buffer.from('"}');
const CRC_DIGITS = 8;
const CRC_MEMBER = CRC.length + CRC_DIGITS + CLOSE.length;

export const HEADER: Buffer = Buffer.from(sealed(`{"format":"${FORMAT}","version":${VERSION}`));

/** The unit in which a disk writes. */
const SECTOR = 512;

/** `synced` is the last record that is known to be on the disk. */
export function encodeRecord(event: JournalEvent, seq: number, synced: number): string {
  return sealed(`{"seq":${seq},"synced":${synced},${JSON.stringify(event).slice(1, -1)}`);
}

function sealed(body: string): string {
  return `${body},"crc":"${crc32(body).toString(16).padStart(CRC_DIGITS, '0')}"}\n`;
}

export interface DecodedRecord {
  readonly seq: number;
  /** If the line does not say, everything before it counts as synced, so that nothing is removed because of it. */
  readonly synced: number;
  /** Undefined if it was left out (`Detail`). */
  readonly event: JournalEvent | undefined;
}

/**
 * The record in `bytes[start, end)`, without its newline; undefined if it is not intact. May overwrite two bytes it has checked
 * with braces, so that only the event is parsed and no second text is built: a line can be decoded once.
 */
export function decodeRecord(
  bytes: Buffer,
  { start, end }: Span,
  detail: Detail = 'full',
): DecodedRecord | undefined {
  if (!isSealed(bytes, start, end) || !isAt(bytes, start, SEQ)) return undefined;
  const bodyEnd = end - CRC_MEMBER;
  const seqEnd = endOfDigits(bytes, start + SEQ.length);
  const seq = numberIn(bytes, start + SEQ.length, seqEnd);
  const isMarked = isAt(bytes, seqEnd, SYNCED);
  const at = isMarked ? endOfDigits(bytes, seqEnd + SYNCED.length) : seqEnd;
  const synced = isMarked ? numberIn(bytes, seqEnd + SYNCED.length, at) : seq - 1;
  if (bytes[at] !== COMMA || at >= bodyEnd) return undefined;
  const scanned = scanEvent(bytes, { start: at + 1, end: bodyEnd }, detail);
  if (scanned !== undefined) return { seq, synced, event: scanned === 'skipped' ? undefined : scanned };
  bytes[at] = OPEN_BRACE;
  bytes[bodyEnd] = CLOSE_BRACE;
  try {
    const event = JSON.parse(bytes.toString('utf8', at, bodyEnd + 1));
    return { seq, synced, event };
  } catch {
    return undefined;
  }
}

/** A checksum over the checksums of records, in their order; `end` is that of the line, without its newline. */
export function addChecksum(sum: number, bytes: Buffer, end: number): number {
  let added = sum;
  for (let at = end - CLOSE.length - CRC_DIGITS; at < end - CLOSE.length; at += 1)
    added = (Math.imul(added, 31) + (bytes[at] ?? 0)) | 0;
  return added;
}

/** The intact record at the end of a line that is not one: the newline before it is damaged. */
export function decodeLastRecord(bytes: Buffer, start: number, end: number): DecodedRecord | undefined {
  for (let at = bytes.indexOf(SEQ, start + 1); at !== -1 && at < end; at = bytes.indexOf(SEQ, at + 1)) {
    const record = decodeRecord(bytes, { start: at, end });
    if (record !== undefined) return record;
  }
  return undefined;
}

export type HeaderCheck =
  | { readonly type: 'current' }
  | { readonly type: 'other-version'; readonly version: number }
  | { readonly type: 'damaged' }
  | { readonly type: 'foreign' };

/** `line` is the first line without its newline. */
export function checkHeader(line: Buffer): HeaderCheck {
  if (line.equals(HEADER.subarray(0, -1))) return { type: 'current' };
  const version = isSealed(line, 0, line.length) ? versionOf(line) : undefined;
  if (version !== undefined && version !== VERSION) return { type: 'other-version', version };
  return { type: line.includes(FORMAT) || nearHeader(line) ? 'damaged' : 'foreign' };
}

/** Whether a file without an intact line is a journal that was interrupted while being created: part of a header, perhaps followed by zeros. */
export function isTornHeader(bytes: Buffer): boolean {
  let same = 0;
  while (same < bytes.length && bytes[same] === HEADER[same]) same += 1;
  return bytes.subarray(same).every((byte) => byte === 0);
}

/**
 * F5: whether `bytes`, which are damaged and start at `offset` in the file, are what a power loss leaves of sectors that were never
 * written: zeros from the start of a sector or of these bytes to the end of a sector. A record contains no zero byte.
 */
export function isNeverWritten(bytes: Buffer, offset: number): boolean {
  for (let from = bytes.indexOf(0); from !== -1; from = bytes.indexOf(0, from + 1)) {
    if (from !== 0 && (offset + from) % SECTOR !== 0) continue;
    let end = from;
    while (end < bytes.length && bytes[end] === 0) end += 1;
    if ((offset + end) % SECTOR === 0) return true;
    from = end;
  }
  return false;
}

export function newlineFrom(bytes: Buffer, start: number, end: number): number {
  const at = bytes.indexOf(NEWLINE, start);
  return at >= end ? -1 : at;
}

function versionOf(line: Buffer): number | undefined {
  try {
    const header: unknown = JSON.parse(line.toString());
    if (!isJsonObject(header) || header.format !== FORMAT) return undefined;
    return typeof header.version === 'number' ? header.version : undefined;
  } catch {
    return undefined;
  }
}

/** A header with any one byte changed still counts as a damaged journal, not as a foreign file. */
function nearHeader(line: Buffer): boolean {
  let different = 0;
  for (let i = 0; i < HEADER.length - 1; i += 1) if (line[i] !== HEADER[i]) different += 1;
  return different <= 4;
}

function isSealed(bytes: Buffer, start: number, end: number): boolean {
  const bodyEnd = end - CRC_MEMBER;
  if (bodyEnd <= start || !isAt(bytes, bodyEnd, CRC) || !isAt(bytes, end - CLOSE.length, CLOSE)) return false;
  let crc = 0;
  for (let at = bodyEnd + CRC.length; at < end - CLOSE.length; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit === -1) return false;
    crc = (crc << 4) | digit;
  }
  return crc >>> 0 === crc32Between(bytes, start, bodyEnd);
}

/** -1 if it is not a digit; upper case does not count (F3). */
function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - ZERO;
  return byte >= LOWER_A && byte <= LOWER_F ? byte - LOWER_A + 10 : -1;
}
