/** What a step keeps of its output: bounded, whatever was printed. The whole stream is in the log. */

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

/** The beginning of a stream, at least `captureBytes(mode)` of it or all, and how long the whole is. */
export interface CaptureSource {
  readonly head: Buffer;
  readonly bytes: number;
}

export interface Captured {
  readonly fields: Pick<WorkOutput, 'capture' | 'output' | 'lines' | 'json' | 'truncated'>;
  /** Why there is no `json`. */
  readonly failure?: Extract<Failure, { type: 'invalid-output' }>;
  /** The same, where it was allowed and the text kept instead. */
  readonly parseError?: { readonly reason: 'invalid' | 'overflow'; readonly message: string };
}

/** How much of the stream a mode has to see. Of text one byte more than is kept: it tells whether a character goes on there. */
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

/** At most so many bytes, cut between two characters. */
export function firstText(bytes: Buffer, limit: number): string {
  let end = Math.min(bytes.length, limit);
  if (end < bytes.length) {
    // 10xxxxxx goes on with a character that began before; none is longer than four bytes.
    for (let back = 0; back < 3 && isContinuation(bytes[end]); back++) end--;
  }
  return bytes.toString('utf8', 0, end);
}

/** At most so many bytes from the end, beginning between two characters. */
export function lastText(bytes: Buffer, limit: number): string {
  let start = Math.max(0, bytes.length - limit);
  for (let ahead = 0; ahead < 3 && isContinuation(bytes[start]); ahead++) start++;
  return bytes.toString('utf8', start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Only whole lines: half of a file name is not the name of a file. */
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
    const message = `the output has ${source.bytes} bytes, and at most ${JSON_BYTES} are read as JSON`;
    return { type: 'no-value', reason: 'overflow', message };
  }
  const text = source.head.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') {
    return { type: 'no-value', reason: 'invalid', message: 'the output is empty, and JSON was expected' };
  }
  try {
    return { type: 'value', value: plainData(parseJson(text, MAX_ANSWER_DEPTH)) };
  } catch (cause) {
    return { type: 'no-value', reason: 'invalid', message: `the output is ${whyNotRead(cause)}` };
  }
}
