/**
 * Reads a journal that may be growing, for those who do not own the run. It never writes (J6) and keeps no event.
 *
 * T1 Reading continues where it ended. A record is given out once, with the byte at which its line starts.
 * T2 It gives way to the event loop: one slice is at most `SLICE_BYTES` or `SLICE_MS`.
 * T3 A journal that was replaced, cut or changed in place is reported, not continued: what was read before no longer counts. A new time alone
 *    says nothing: the system sets it before the bytes of an append are there. So the records are compared by their checksums.
 * T4 An unfinished line at the end is left for the next time. What else is wrong is judged by the one reader of journals
 *    (`journal-reader.ts`).
 */
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeFile } from '../model/close-file.ts';
import type { JournalEvent } from '../model/event.ts';
import { addChecksum, decodeRecord, HEADER, NEWLINE, newlineFrom } from './journal-format.ts';
import { fileError, type JournalDamage, scanJournal } from './journal-reader.ts';
import type { Detail } from './journal-scan.ts';
import { openPlain } from './plain-file.ts';

const SLICE_BYTES = 256 * 1024;
const SLICE_MS = 8;
const LOOK_BYTES = 4096;

/** Where a record is: its line starts at `offset`. */
export interface RecordPlace {
  readonly seq: number;
  readonly offset: number;
}

export type TailRead =
  | { readonly type: 'read'; readonly tornBytes: number }
  /** T3 */
  | { readonly type: 'replaced' }
  | { readonly type: 'damaged'; readonly damage: JournalDamage };

/** How far a journal was read, and the sum over the checksums up to there. */
export interface TailMark {
  readonly offset: number;
  readonly sum: number;
}

export type TailVisit = (event: JournalEvent, place: RecordPlace) => void;

export class JournalTail {
  readonly #path: string;
  readonly #detail: Detail;
  #offset = 0;
  #records = 0;
  /** Over the checksums of the records. */
  #sum = 0;
  #file: { readonly ino: number; readonly dev: number } | undefined;
  #changedAt = 0;
  #last: { readonly size: number; readonly read: TailRead } | undefined;

  constructor(path: string, detail: Detail = 'essential') {
    this.#path = path;
    this.#detail = detail;
  }

  /** How many records were read. */
  get records(): number {
    return this.#records;
  }

  /** Where the last whole line ends. */
  get offset(): number {
    return this.#offset;
  }

  get mark(): TailMark {
    return { offset: this.#offset, sum: this.#sum };
  }

  /** T3: the journal still starts with what an earlier reader had read, perhaps in another process. */
  async startsWith(mark: TailMark): Promise<boolean> {
    if (mark.offset > this.#offset) return false;
    if (mark.offset === this.#offset) return mark.sum === this.#sum;
    let fd: number;
    try {
      fd = openPlain(this.#path);
    } catch {
      return false;
    }
    try {
      return await this.#holds(fd, mark);
    } finally {
      closeFile(fd);
    }
  }

  /** Reads what was added. Calls must not overlap. */
  async read(visit: TailVisit): Promise<TailRead> {
    let fd: number;
    try {
      fd = openPlain(this.#path);
    } catch (cause) {
      return { type: 'damaged', damage: fileError(this.#path, cause) };
    }
    try {
      const { ino, dev, size, mtimeMs } = fs.fstatSync(fd);
      const isSame = this.#file === undefined || (this.#file.ino === ino && this.#file.dev === dev);
      const isTouched = mtimeMs !== this.#changedAt;
      if (!isSame || size < this.#offset) return { type: 'replaced' };
      const isDoubtful = size === this.#offset && isTouched && this.#offset > 0;
      if (isDoubtful && !(await this.#holds(fd, this.mark))) return { type: 'replaced' };
      this.#file = { ino, dev };
      if (!isTouched && this.#last?.size === size) return this.#last.read;
      this.#changedAt = mtimeMs;
      const read = await this.#readTo(fd, size, visit);
      this.#last = { size, read };
      return read;
    } catch (cause) {
      return { type: 'damaged', damage: fileError(this.#path, cause) };
    } finally {
      closeFile(fd);
    }
  }

  /** T3 */
  async #holds(fd: number, { offset, sum }: TailMark): Promise<boolean> {
    const again = new JournalTail(this.#path);
    const read = await again.#readTo(fd, offset, () => {});
    return read.type === 'read' && again.#offset === offset && again.#sum === sum;
  }

  async #readTo(fd: number, size: number, visit: TailVisit): Promise<TailRead> {
    let bytes: Buffer = Buffer.allocUnsafe(Math.min(SLICE_BYTES, Math.max(size - this.#offset, 1)));
    let sliceEnds = performance.now() + SLICE_MS;
    while (this.#offset < size) {
      const got = fs.readSync(fd, bytes, 0, Math.min(bytes.length, size - this.#offset), this.#offset);
      let start = 0;
      let looked = 0;
      for (
        let newline = newlineFrom(bytes, 0, got);
        newline !== -1;
        newline = newlineFrom(bytes, start, got)
      ) {
        const line = this.#take(bytes, { start, end: newline }, visit);
        if (line === 'wrong') return this.#judge(fd, size);
        start = newline + 1;
        // Looking at the clock takes longer than most lines.
        if (start - looked < LOOK_BYTES) continue;
        looked = start;
        if (performance.now() < sliceEnds) continue;
        await nextTurn();
        sliceEnds = performance.now() + SLICE_MS;
      }
      if (start > 0) continue;
      if (this.#offset + got >= size) break;
      // A line longer than a slice.
      bytes = Buffer.allocUnsafe(bytes.length * 2);
    }
    return this.#read(size);
  }

  #take(
    bytes: Buffer,
    line: { readonly start: number; readonly end: number },
    visit: TailVisit,
  ): 'taken' | 'wrong' {
    const length = line.end + 1 - line.start;
    if (this.#offset === 0) {
      if (!bytes.subarray(line.start, line.end + 1).equals(HEADER)) return 'wrong';
    } else {
      const record = decodeRecord(bytes, line, this.#detail);
      if (record === undefined || record.seq !== this.#records + 1) return 'wrong';
      this.#records = record.seq;
      this.#sum = addChecksum(this.#sum, bytes, line.end);
      if (record.event !== undefined) visit(record.event, { seq: record.seq, offset: this.#offset });
    }
    this.#offset += length;
    return 'taken';
  }

  /** T4 */
  #judge(fd: number, size: number): TailRead {
    const scan = scanJournal(fd, this.#path, { visit() {}, detail: this.#detail });
    if (scan.type === 'error') return { type: 'damaged', damage: scan.error };
    // It is whole, but it is not what was read before.
    return scan.value.wholeBytes === this.#offset ? this.#read(size) : { type: 'replaced' };
  }

  #read(size: number): TailRead {
    return { type: 'read', tornBytes: size - this.#offset };
  }
}

/** The event whose line starts at this byte; undefined if there is none (any more). */
export function readRecordAt(path: string, offset: number): JournalEvent | undefined {
  const fd = openPlain(path);
  try {
    for (let length = 64 * 1024; ; length *= 4) {
      const bytes = Buffer.allocUnsafe(length);
      const got = fs.readSync(fd, bytes, 0, length, offset);
      const newline = bytes.subarray(0, got).indexOf(NEWLINE);
      if (newline !== -1) return decodeRecord(bytes, { start: 0, end: newline })?.event;
      if (got < length) return undefined;
    }
  } finally {
    closeFile(fd);
  }
}
