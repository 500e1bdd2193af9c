import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { SourceFile } from '../../model/source.ts';
import type { ReadingCode } from './codes.ts';
import type { FileKind } from './file-kind.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const REPLACEMENT_CHARACTER = Buffer.from('\ufffd');

export interface ReadSource {
  readonly file: SourceFile;
  /** SHA-256 of the bytes on disk, in hex. */
  readonly digest: string;
}

/** `path` is the file to open, `shown` its name in messages. */
export function readSource(path: string, shown: string, kind: FileKind): Result<ReadSource, Diagnostic> {
  const bytes = readBytes(path, shown, kind);
  if (bytes.type === 'error') return bytes;
  const digest = sha256(bytes.value);
  return decode(bytes.value, shown, digest);
}

function readBytes(path: string, shown: string, kind: FileKind): Result<Buffer, Diagnostic> {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(descriptor);
    if (stat.isDirectory()) return unreadable(shown, `is a folder, not a ${kind.noun} file`);
    if (!stat.isFile()) return unreadable(shown, 'is not a regular file');
    if (stat.size > MAX_BYTES) {
      return problem('workflow/too-large', shown, {
        message: `\`${shown}\` is ${stat.size} bytes; the limit for a ${kind.noun} file is ${MAX_BYTES}`,
        help: kind.tooLargeHelp,
      });
    }
    const buffer = Buffer.allocUnsafe(stat.size);
    let length = 0;
    while (length < buffer.length) {
      const count = fs.readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return ok(buffer.subarray(0, length));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    return unreadable(shown, `cannot be read: ${errnoWords(code)}`);
  } finally {
    if (descriptor !== undefined) closeFile(descriptor);
  }
}

function unreadable(shown: string, reason: string): Result<never, Diagnostic> {
  return problem('workflow/cannot-read', shown, { message: `\`${shown}\` ${reason}` });
}

function decode(bytes: Buffer, shown: string, digest: string): Result<ReadSource, Diagnostic> {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    return ok({ file: { path: shown, text: text.startsWith('\ufeff') ? text.slice(1) : text }, digest });
  }
  const offset = firstBadByte(bytes);
  // One character per byte, so that the caret points at the wrong one.
  const file = { path: shown, text: bytes.toString('latin1') };
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return error({
    code: 'yaml/not-utf8' satisfies ReadingCode,
    severity: 'error',
    message: `the byte 0x${byte} at offset ${offset} is not UTF-8`,
    range: { file, start: offset, end: offset + 1 },
    help: 'save the file as UTF-8',
  });
}

/** The first byte that is not part of a complete, shortest, valid UTF-8 sequence. */
function firstBadByte(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] ?? 0);
    if (length === 0 || (length > 1 && !isWhole(bytes.subarray(at, at + length), length))) return at;
    at += length;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

function isWhole(sequence: Buffer, length: number): boolean {
  return (
    sequence.length === length &&
    (!sequence.toString('utf8').includes('\ufffd') || sequence.equals(REPLACEMENT_CHARACTER))
  );
}

function problem(
  code: ReadingCode,
  path: string,
  words: { readonly message: string; readonly help?: string },
): Result<never, Diagnostic> {
  return error({ code, severity: 'error', path, ...words });
}
