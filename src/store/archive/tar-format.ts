/**
 * The part of the tar format that archives need: folders, files and links, with ustar headers, and pax or GNU records for names and
 * sizes that do not fit. Implemented here: `tar-stream` brings 13 packages (CONTRIBUTING.md has the measurements).
 */
import { withoutTrailing } from '../../model/trailing.ts';

export const BLOCK = 512;

export interface TarEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link';
  readonly size: number;
  readonly mode: number;
  /** Seconds. */
  readonly mtime: number;
  /** For a link. */
  readonly target?: string;
}

const TYPE_FLAGS = { file: '0', folder: '5', link: '2', pax: 'x' } as const;
const NAME_BYTES = 100;
/** The largest number that fits into eleven octal digits. */
const LARGEST_SIZE = 0o77777777777;

/** One or three blocks. */
export function renderHeader(entry: TarEntry): Buffer {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path;
  const records = [
    ...(Buffer.byteLength(path) > NAME_BYTES ? [paxRecord('path', path)] : []),
    ...(Buffer.byteLength(entry.target ?? '') > NAME_BYTES
      ? [paxRecord('linkpath', entry.target ?? '')]
      : []),
    ...(entry.size > LARGEST_SIZE ? [paxRecord('size', String(entry.size))] : []),
  ];
  const own = headerBlock({ ...entry, path }, TYPE_FLAGS[entry.type]);
  if (records.length === 0) return own;
  const body = Buffer.from(records.join(''));
  const before = headerBlock(
    { path: 'PaxHeader', type: 'file', size: body.length, mode: 0o600, mtime: entry.mtime },
    TYPE_FLAGS.pax,
  );
  return Buffer.concat([before, body, padding(body.length), own]);
}

/** Zero bytes up to the next block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function headerBlock(entry: TarEntry, flag: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(firstBytes(entry.path), 0, NAME_BYTES);
  block.write(octal(entry.mode & 0o7777, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(entry.size > LARGEST_SIZE ? 0 : entry.size, 11), 124);
  block.write(octal(Math.max(0, Math.floor(entry.mtime)), 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(flag, 156);
  block.write(firstBytes(entry.target ?? ''), 157, NAME_BYTES);
  block.write('ustar\0', 257);
  block.write('00', 263);
  block.write(`${octal(checksum(block), 6)} `, 148);
  return block;
}

function firstBytes(text: string): string {
  return Buffer.byteLength(text) <= NAME_BYTES ? text : text.slice(0, NAME_BYTES / 4);
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')}\0`;
}

/** `28 path=some/long/name\n`: starts with its own length. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

/** The sum of all bytes, with the checksum field itself counted as spaces. */
export function checksum(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 32 : (block[at] ?? 0);
  return sum;
}

export type ParsedHeader =
  | { readonly type: 'entry'; readonly entry: TarEntry }
  /** Records for the next entry. */
  | { readonly type: 'pax'; readonly size: number }
  /** A long name or link target of the next entry, as GNU tar writes it. */
  | { readonly type: 'long'; readonly key: 'path' | 'linkpath'; readonly size: number }
  /** Records about the whole archive, such as the commit of `git archive`. */
  | { readonly type: 'global'; readonly size: number }
  | { readonly type: 'end' }
  | { readonly type: 'bad'; readonly reason: string };

export function parseHeader(block: Buffer, pax: ReadonlyMap<string, string>): ParsedHeader {
  if (block.every((byte) => byte === 0)) return { type: 'end' };
  if (number(block, 148, 8) !== checksum(block)) return { type: 'bad', reason: 'a header is damaged' };
  const flag = String.fromCharCode(block[156] ?? 0);
  const size = Number(pax.get('size') ?? number(block, 124, 12));
  if (!Number.isSafeInteger(size) || size < 0) return { type: 'bad', reason: 'a size is damaged' };
  if (flag === TYPE_FLAGS.pax) return { type: 'pax', size };
  if (flag === 'g') return { type: 'global', size };
  if (flag === 'L' || flag === 'K') return { type: 'long', key: flag === 'L' ? 'path' : 'linkpath', size };
  // GNU tar has other fields in the place of the prefix.
  const prefix = text(block, 257, 6) === 'ustar' ? text(block, 345, 155) : '';
  const path = pax.get('path') ?? (prefix === '' ? '' : `${prefix}/`) + text(block, 0, NAME_BYTES);
  const common = {
    path: withoutTrailing(path, '/'),
    mode: number(block, 100, 8) & 0o777,
    mtime: number(block, 136, 12),
  };
  switch (flag) {
    case '0':
    case '\0':
      return { type: 'entry', entry: { ...common, type: 'file', size } };
    case '5':
      return { type: 'entry', entry: { ...common, type: 'folder', size: 0 } };
    case '2': {
      const target = pax.get('linkpath') ?? text(block, 157, NAME_BYTES);
      return { type: 'entry', entry: { ...common, type: 'link', size: 0, target } };
    }
    default:
      return { type: 'bad', reason: `\`${path}\` is neither file, folder nor link` };
  }
}

export function parsePax(body: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number(body.toString('latin1', at, space));
    if (!Number.isInteger(length) || length <= 0) break;
    const record = body.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

function text(block: Buffer, from: number, length: number): string {
  const end = block.indexOf(0, from);
  return block.toString('utf8', from, end === -1 || end > from + length ? from + length : end);
}

/** Octal digits; in base 256 if the first bit is set. */
function number(block: Buffer, from: number, length: number): number {
  const first = block[from] ?? 0;
  if (first >= 0x80) {
    const bytes = [...block.subarray(from + 1, from + length)];
    // A first byte of 255 means a negative number.
    const start = first === 0xff ? -1 : first & 0x7f;
    return bytes.reduce((value, byte) => value * 256 + byte, start);
  }
  return Number.parseInt(text(block, from, length).trim() || '0', 8);
}
