/** What a step keeps of its output: bounded, however much was printed. The log has the whole stream. */

import type { Failure } from '../model/failure.ts';
import { type JsonValue, MAX_ANSWER_DEPTH, parseJson, whyNotRead } from '../model/json.ts';
import type { WorkOutput } from '../model/record.ts';
import { unreachable } from '../model/unreachable.ts';
import { plainData } from '../store/plain-data.ts';

const TEXT_BYTES = 8 * 1024;
const JSON_BYTES = 1024 * 1024;
const MOST_LINES = 10_000;
const LINES_BYTES = 8 * 1024 * 1024;

type Mode = 'text' | 'lines' | 'json';

/** The start of a stream, at least `captureBytes(mode)` of it or all, and the length of the whole. */
export interface CaptureSource {
  readonly head: Buffer;
  readonly bytes: number;
}

export interface Captured {
  readonly fields: Pick<WorkOutput, 'capture' | 'output' | 'lines' | 'json' | 'truncated'>;
  /** Why there is no `json`. */
  readonly failure?: Extract<Failure, { type: 'invalid-output' }>;
  /** The same, if it is allowed and the text is kept instead. */
  readonly parseError?: { readonly reason: 'invalid' | 'overflow'; readonly message: string };
}

/** How much of the stream a mode needs. For text one byte more than is kept: it shows whether a character continues there. */
export function captureBytes(mode: Mode): number {
  return { text: TEXT_BYTES + 1, lines: LINES_BYTES, json: JSON_BYTES }[mode];
}

export function captureOutput(source: CaptureSource, mode: Mode, allowParseError: boolean): Captured {
  switch (mode) {
    case 'text':
      return { fields: { capture: 'text', ...captureText(source) } };
    case 'lines':
      return { fields: { capture: 'lines', ...captureLines(source) } };
    case 'json':
      return captureJson(source, allowParseError);
    default:
      return unreachable(mode);
  }
}

/** For an answer that is already a string. */
export function captureSource(text: string): CaptureSource {
  const head = Buffer.from(text);
  return { head, bytes: head.length };
}

function captureText(source: CaptureSource): { readonly output: string; readonly truncated: boolean } {
  return { output: firstText(source.head, TEXT_BYTES), truncated: source.bytes > TEXT_BYTES };
}

/** At most this many bytes, cut between two characters. */
export function firstText(bytes: Buffer, limit: number): string {
  let end = Math.min(bytes.length, limit);
  if (end < bytes.length) {
    // 10xxxxxx continues a character; none is longer than four bytes.
    for (let back = 0; back < 3 && isContinuation(bytes[end]); back++) end--;
  }
  return bytes.toString('utf8', 0, end);
}

/** At most this many bytes from the end, starting between two characters. */
export function lastText(bytes: Buffer, limit: number): string {
  let start = Math.max(0, bytes.length - limit);
  for (let ahead = 0; ahead < 3 && isContinuation(bytes[start]); ahead++) start++;
  return bytes.toString('utf8', start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Only complete lines: half of a file name is not a file name. */
function captureLines(source: CaptureSource): {
  readonly lines: readonly string[];
  readonly truncated: boolean;
} {
  const { head } = source;
  const isWhole = source.bytes <= Math.min(head.length, LINES_BYTES);
  const end = Math.min(head.length, LINES_BYTES);
  const lines: string[] = [];
  let from = 0;
  while (from < end && lines.length < MOST_LINES) {
    const newline = head.indexOf(10, from);
    if (newline === -1 || newline >= end) {
      if (!isWhole) break;
      lines.push(head.toString('utf8', from, end));
      from = end;
    } else {
      const to = newline > from && head[newline - 1] === 13 ? newline - 1 : newline;
      lines.push(head.toString('utf8', from, to));
      from = newline + 1;
    }
  }
  return { lines, truncated: from < end || !isWhole };
}

function captureJson(source: CaptureSource, allowParseError: boolean): Captured {
  const parsed = parseOutput(source);
  if (parsed.type === 'value') {
    return { fields: { capture: 'json', json: parsed.value, truncated: false } };
  }
  const { reason, message } = parsed;
  if (allowParseError) {
    return { fields: { capture: 'json', ...captureText(source) }, parseError: { reason, message } };
  }
  return {
    fields: { capture: 'json', truncated: reason === 'overflow' },
    failure: { type: 'invalid-output', reason, message },
  };
}

function parseOutput(
  source: CaptureSource,
):
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'no-value'; readonly reason: 'invalid' | 'overflow'; readonly message: string } {
  if (source.bytes > JSON_BYTES) {
    const message = `the output is ${source.bytes} bytes; the limit for JSON is ${JSON_BYTES}`;
    return { type: 'no-value', reason: 'overflow', message };
  }
  const text = source.head.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') {
    return { type: 'no-value', reason: 'invalid', message: 'the output is empty; expected JSON' };
  }
  try {
    return { type: 'value', value: plainData(parseJson(text, MAX_ANSWER_DEPTH)) };
  } catch (cause) {
    return { type: 'no-value', reason: 'invalid', message: `the output is ${whyNotRead(cause)}` };
  }
}
