/**
 * The open journal of a run, held by its one owner (J5). Its bytes are described in `journal-format.ts`.
 *
 * W1 Lines are in the order of the calls, however `append` and `appendNow` are mixed.
 * W2 `append` resolves only when its line, and so every line before it, is on the disk (J2). Calls in one turn of the event loop
 *    share one write and one fdatasync.
 * W3 The file is only ever appended to. An append costs the same for the first and the millionth record (J3).
 * W4 After a failed write or sync nothing more is accepted: the contents of the disk are then known only by reading it again. A partly
 *    written record is removed if the disk allows it; otherwise it is a torn tail. After a failed sync everything not synced is
 *    removed: the system may keep such bytes in memory, report them as written, and never write them.
 * W5 Opening syncs first: from then on, what a killed process had only written counts as saved.
 *
 * The sync runs on the event loop's own thread: a lone append takes 0.27 ms, against 0.30 ms in the thread pool
 * (writing and syncing without a loop: 0.25 ms); what becomes ready meanwhile is the next group.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { crc32 } from '../model/crc32.ts';
import { errnoWords } from '../model/describe-failure.ts';
import type { JournalEvent } from '../model/event.ts';
import { error, ok, type Result } from '../model/result.ts';
import { replaceFile } from './atomic-write.ts';
import { errnoOf } from './errno.ts';
import { encodeRecord, HEADER } from './journal-format.ts';
import {
  checksumOf,
  fileError,
  type JournalDamage,
  type JournalMark,
  markedChecksum,
  markText,
  type Reader,
  scanJournal,
} from './journal-reader.ts';
import { openPlainTo } from './plain-file.ts';
import { removeFile } from './remove-file.ts';
import { syncFolder, writeWhole } from './write-whole.ts';

export {
  isMarked,
  type JournalContents,
  type JournalDamage,
  type JournalMark,
  type Reader,
  readFirstRecord,
  readJournal,
  visitJournal,
} from './journal-reader.ts';

/** The disk is full, broken or read-only. The run cannot continue without its journal. */
export class JournalWriteError extends Error {
  override readonly name = 'JournalWriteError';
  readonly type = 'journal-write-error';
  readonly code: string;
  readonly path: string;

  constructor(path: string, cause: unknown) {
    const code = errnoOf(cause);
    super(`cannot write the journal \`${path}\`: ${errnoWords(code)}`, { cause });
    this.code = code;
    this.path = path;
  }
}

export interface OpenedJournal {
  readonly journal: JournalFile;
  /** Bytes of a torn tail that were removed. */
  readonly cutBytes: number;
}

/** Creates a journal; its header, first records and name are on the disk. Throws `JournalWriteError`, with code `EEXIST` if it exists. */
export function createJournal(path: string, first: readonly JournalEvent[] = []): JournalFile {
  try {
    const fd = openPlainTo(path, { to: 'create' });
    try {
      const bytes = journalOf(first);
      writeWhole(fd, bytes);
      fs.fsyncSync(fd);
      syncFolder(dirname(path));
      return new JournalFile(path, fd, {
        seq: first.length,
        bytes: bytes.length,
        checksum: crc32(bytes),
      });
    } catch (cause) {
      closeFile(fd);
      removeFile(path);
      throw cause;
    }
  } catch (cause) {
    throw new JournalWriteError(path, cause);
  }
}

/** A journal with these records in the place of the present one, at once. For its owner, who opens it again. */
export function replaceJournal(path: string, records: readonly JournalEvent[]): void {
  try {
    replaceFile(path, journalOf(records), { mode: 0o600 });
  } catch (cause) {
    throw new JournalWriteError(path, cause);
  }
}

function journalOf(records: readonly JournalEvent[]): Buffer {
  const lines = records.map((event, index) => Buffer.from(encodeRecord(event, index + 1, 0)));
  return Buffer.concat([HEADER, ...lines]);
}

/** For the owner: reads the journal, removes a torn tail, and prepares for appending. */
export function openJournal(path: string, reader: Reader): Result<OpenedJournal, JournalDamage> {
  let fd: number;
  try {
    fd = openPlainTo(path, { to: 'extend' });
  } catch (cause) {
    return error(fileError(path, cause));
  }
  try {
    const scan = scanJournal(fd, path, reader);
    if (scan.type === 'error') {
      closeFile(fd);
      return scan;
    }
    const { records: seq, wholeBytes, tornBytes } = scan.value;
    if (tornBytes > 0) fs.ftruncateSync(fd, wholeBytes);
    if (wholeBytes === 0) writeWhole(fd, HEADER);
    const isChanged = tornBytes > 0 || wholeBytes === 0;
    // W5
    if (isChanged) fs.fsyncSync(fd);
    else fs.fdatasyncSync(fd);
    const bytes = Math.max(wholeBytes, HEADER.length);
    const checksum = isChanged ? checksumOf(fd, bytes) : scan.value.checksum;
    return ok({ journal: new JournalFile(path, fd, { seq, bytes, checksum }), cutBytes: tornBytes });
  } catch (cause) {
    closeFile(fd);
    return error(fileError(path, cause));
  }
}

/** For the owner that has read the journal before it held the lock. Undefined if the journal is no longer exactly what was read. */
export function openMarkedJournal(path: string, mark: JournalMark): JournalFile | undefined {
  let fd: number | undefined;
  try {
    fd = openPlainTo(path, { to: 'extend' });
    const checksum = markedChecksum(fd, mark);
    if (checksum !== undefined) {
      // W5
      fs.fdatasyncSync(fd);
      return new JournalFile(path, fd, { seq: mark.records, bytes: mark.bytes, checksum });
    }
  } catch {
    // Reading it again reports why.
  }
  if (fd !== undefined) closeFile(fd);
  return undefined;
}

interface Waiting {
  resolve(): void;
  reject(reason: JournalWriteError): void;
}

export class JournalFile {
  #path: string;
  #fd: number | undefined;
  /** The last accepted record, and the length of the file up to the last completely written one. */
  #seq: number;
  #bytes: number;
  /** The checksum of that length. */
  #checksum: number;
  /** The same for what is known to be on the disk. */
  #syncedSeq: number;
  #syncedBytes: number;
  #unwritten = '';
  /** The last record that was written. */
  #writtenSeq: number;
  #waiting: Waiting[] = [];
  #failure: JournalWriteError | undefined;

  constructor(
    path: string,
    fd: number,
    end: { readonly seq: number; readonly bytes: number; readonly checksum: number },
  ) {
    this.#path = path;
    this.#fd = fd;
    this.#seq = end.seq;
    this.#writtenSeq = end.seq;
    this.#bytes = end.bytes;
    this.#checksum = end.checksum;
    this.#syncedSeq = end.seq;
    this.#syncedBytes = end.bytes;
  }

  get path(): string {
    return this.#path;
  }

  /** The state on the disk; an accepted record that is not written yet is not included. */
  get mark(): JournalMark {
    return {
      bytes: this.#bytes,
      records: this.#writtenSeq,
      checksum: markText(this.#checksum),
    };
  }

  /** Its folder was renamed; the file is the same. */
  movedTo(path: string): void {
    this.#path = path;
  }

  /** Resolves when the record is on the disk; rejects with `JournalWriteError`. */
  append(event: JournalEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#take(event);
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ resolve, reject });
    });
  }

  /** Written at once and not synced: for records that can be derived from others. Throws `JournalWriteError`. */
  appendNow(event: JournalEvent): void {
    this.#take(event);
    this.#write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Writes everything appended to the disk, resolves the waiting calls, and closes the file. */
  close(): void {
    if (this.#fd === undefined) return;
    this.#commit();
    closeFile(this.#fd);
    this.#fd = undefined;
  }

  #take(event: JournalEvent): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#fd === undefined) throw new Error(`the journal \`${this.path}\` is closed`);
    this.#unwritten += encodeRecord(event, this.#seq + 1, this.#syncedSeq);
    this.#seq += 1;
  }

  #commit(): void {
    const waiting = this.#waiting;
    if (this.#fd === undefined || (waiting.length === 0 && this.#syncedSeq === this.#seq)) return;
    this.#write();
    try {
      if (this.#failure === undefined) {
        fs.fdatasyncSync(this.#fd);
        this.#syncedSeq = this.#seq;
        this.#syncedBytes = this.#bytes;
      }
    } catch (cause) {
      this.#failure = new JournalWriteError(this.path, cause);
      this.#cutBack(this.#fd, this.#syncedBytes);
    }
    this.#waiting = [];
    for (const each of waiting) {
      if (this.#failure === undefined) each.resolve();
      else each.reject(this.#failure);
    }
  }

  #write(): void {
    if (this.#fd === undefined || this.#unwritten === '' || this.#failure !== undefined) return;
    const lines = Buffer.from(this.#unwritten);
    this.#unwritten = '';
    try {
      writeWhole(this.#fd, lines);
      this.#bytes += lines.length;
      this.#checksum = crc32(lines, this.#checksum);
      this.#writtenSeq = this.#seq;
    } catch (cause) {
      this.#failure = new JournalWriteError(this.path, cause);
      this.#cutBack(this.#fd, this.#bytes);
    }
  }

  #cutBack(fd: number, bytes: number): void {
    try {
      fs.ftruncateSync(fd, bytes);
    } catch {
      // W4: the rest is a torn tail, which the next owner removes.
    }
  }
}
