/**
 * Adds one line to a JSON Lines file.
 *
 * A1 A line is written completely or not at all: the remains of a crash are removed before the next line is written. A last line without
 *    its newline that is not part of one of ours is foreign, and gets the newline.
 * A2 A line that is already there, identified by its `sameBy` members, is not written again: a repeated step changes nothing. Only the end
 *    of the file is checked, since only the last steps before a crash are ever repeated.
 */
import fs from 'node:fs';
import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import { isJsonObject, isSameJson, type JsonObject, parseJson } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import { withLock } from '../store/lock.ts';
import { type PinnedPlace, pinPlace } from '../store/pin-inside.ts';
import { openPlainTo } from '../store/plain-file.ts';
import { fileFailure } from '../store/safe-path.ts';
import { writeWhole } from '../store/write-whole.ts';
import type { AppendLineInput } from './contracts.ts';
import { rootAt } from './site-paths.ts';

const NEWLINE = 10;
const LOOKED_AT = 16;
const READ_BYTES = 64 * 1024;
const LOCK_WAIT_MS = 30_000;

export const appendLine: Effect<AppendLineInput, EffectOutput> = async (input, { run, signal }) => {
  const pinned = pinPlace(rootAt(run, input.root), input.path, {
    operation: 'append to',
    makeFolders: true,
  });
  if (pinned.type === 'error') return { failure: pinned.error };
  const place = pinned.value;
  try {
    const done = await withLock(`${place.path}.lock`, { waitMs: LOCK_WAIT_MS, signal }, () =>
      append(place, input),
    );
    if (done.type === 'ok') return done.value;
    return { failure: { type: 'file', operation: 'lock', path: input.path, code: 'EBUSY' } };
  } catch (problem) {
    if (signal.aborted) throw signal.reason;
    return { failure: fileFailure('append to', input.path, problem) };
  } finally {
    place.folder.close();
  }
};

function append({ path, folder }: PinnedPlace, input: AppendLineInput): EffectOutput {
  const fd = openPlainTo(path, { to: 'append', mode: input.mode ?? 0o644 });
  try {
    const end = readEnd(fd);
    // A1
    const isTorn = isPartOfLine(end.rest);
    const newline = isTorn || end.rest === '' ? '' : '\n';
    const isThere = [...end.lines, end.rest].some((line) => isSame(line, input));
    if (isThere && newline === '') return {};
    if (isTorn) fs.ftruncateSync(fd, end.wholeBytes);
    writeWhole(fd, Buffer.from(isThere ? newline : `${newline}${JSON.stringify(input.line)}\n`));
    fs.fsyncSync(fd);
    // It may be a new file.
    folder.sync();
    return {};
  } finally {
    closeFile(fd);
  }
}

interface FileEnd {
  readonly lines: readonly string[];
  /** Up to the last newline. */
  readonly wholeBytes: number;
  /** The text after it. */
  readonly rest: string;
}

/** The start of a JSON object, or what a power loss makes of it. */
function isPartOfLine(rest: string): boolean {
  return /^[{\0]/.test(rest) && parse(rest) === undefined;
}

/** The last lines, read backwards: the cost does not grow with the file. */
function readEnd(fd: number): FileEnd {
  const { size } = fs.fstatSync(fd);
  let bytes = Buffer.alloc(0);
  let from = size;
  while (from > 0 && newlinesIn(bytes) <= LOOKED_AT) {
    const length = Math.min(READ_BYTES, from);
    const block = Buffer.alloc(length);
    fs.readSync(fd, block, 0, length, from - length);
    bytes = Buffer.concat([block, bytes]);
    from -= length;
  }
  const last = bytes.lastIndexOf(NEWLINE);
  const lines = bytes.toString('utf8', 0, last + 1).split('\n');
  const rest = bytes.toString('utf8', last + 1);
  return { lines: lines.slice(0, -1).slice(-LOOKED_AT), wholeBytes: from + last + 1, rest };
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function isSame(text: string, { line, sameBy }: AppendLineInput): boolean {
  const there = parse(text);
  return there !== undefined && sameBy.every((name) => isSameJson(there[name], line[name]));
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
