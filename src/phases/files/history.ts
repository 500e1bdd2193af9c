/**
 * `workflow-history.jsonl`: one line per change, append-only, written with the document's lock held.
 *
 * Y1 The document contains the history lines of its last change and is replaced before they are appended.
 * Y2 Before it is replaced, its lines are in the history: if a process was killed in between, the next one appends
 *    them. So every change has its lines, and every line its change.
 */
import fs from 'node:fs';
import { openPlainTo } from '../../store/plain-file.ts';
import { writeWhole } from '../../store/write-whole.ts';
import type { HistoryLine } from '../history-line.ts';
import type { PhasesPaths } from '../layout.ts';

const NEWLINE = 10;

/** Opens the file, runs `change`, and closes it. */
export function withHistory<Value>(paths: PhasesPaths, change: (history: History) => Value): Value {
  const fd = openPlainTo(paths.history, { to: 'append', mode: 0o644 });
  try {
    return change(new History(fd));
  } finally {
    fs.closeSync(fd);
  }
}

export class History {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  append(lines: readonly HistoryLine[]): void {
    writeWhole(this.#fd, bytesOf(lines));
  }

  /** Y2 */
  appendIfMissing(last: readonly HistoryLine[]): void {
    if (last.length === 0) return;
    const lines = bytesOf(last);
    const end = readEnd(this.#fd, lines.length + 1);
    const there = writtenOf(lines, end);
    // A power loss may have left a partial line.
    const isTorn = there === 0 && end.length > 0 && end.at(-1) !== NEWLINE;
    writeWhole(this.#fd, isTorn ? Buffer.concat([Buffer.of(NEWLINE), lines]) : lines.subarray(there));
  }
}

/** How many bytes of the lines are at the end of the file: all, none, or the part written before a kill. */
function writtenOf(lines: Buffer, end: Buffer): number {
  for (let count = Math.min(lines.length, end.length); count > 0; count -= 1) {
    const start = end.length - count;
    const beginsLine = start === 0 || end[start - 1] === NEWLINE;
    if (beginsLine && end.subarray(start).equals(lines.subarray(0, count))) return count;
  }
  return 0;
}

function bytesOf(lines: readonly HistoryLine[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function readEnd(fd: number, count: number): Buffer {
  const { size } = fs.fstatSync(fd);
  const end = Buffer.allocUnsafe(Math.min(size, count));
  return end.subarray(0, fs.readvSync(fd, [end], size - end.length));
}
