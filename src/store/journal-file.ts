/**
 * The open journal of a run, held by its one owner (J5). Its bytes are described in `journal-format.ts`.
 *
 * W1 Lines stand in the order of the calls, however `append` and `appendNow` are mixed.
 * W2 `append` resolves only when its line, and so every line before it, is on the disk (J2). Calls of one turn of the event loop
 *    share one write and one fdatasync.
 * W3 The file is only ever appended to. An append costs the same for the first and the millionth record (J3).
 * W4 After a failed write or sync nothing more is accepted: what the disk holds is then known only by reading it again. The part of
 *    a record that was written is cut off where the disk allows it; where not, it is a torn tail. After a failed sync all that was not
 *    synced goes: the system may keep such bytes in memory, call them written, and never write them.
 * W5 Who opens it syncs it first: what a killed process had only written counts as kept from then on.
 *
 * The sync is made on the event loop's own thread: measured with a lone append, 0.27 ms against 0.30 ms in the thread pool
 * (writing and syncing with no loop between: 0.25 ms); what becomes ready meanwhile is the next group.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { crc32 } from '../model/crc32.ts';
import { errnoWords } from '../model/describe-failure.ts';
import type { JournalEvent } from '../model/event.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from './errno.ts';
import { encodeRecord, HEADER } from './journal-format.ts';
import {
  checksumOf,
  fileError,
  type JournalDamage,
  type JournalMark,
  markText,
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
  readJournal,
} from './journal-reader.ts';

/** The disk refused: full, broken or read-only. The run cannot go on without its journal. */
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
  readonly events: JournalEvent[];
  /** Bytes of a torn tail that were cut off. */
  readonly cutBytes: number;
}

/** A new journal, its header, first records and name on the disk. Throws `JournalWriteError`, with code `EEXIST` where there is one. */
export function createJournal(path: string, first: readonly JournalEvent[] = []): JournalFile {
  try {
    const fd = openPlainTo(path, { to: 'create' });
    try {
      const lines = first.map((event, index) => Buffer.from(encodeRecord(event, index + 1, 0)));
      const bytes = Buffer.concat([HEADER, ...lines]);
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

/** For the owner: reads it, cuts a torn tail off, and stands ready to append. */
export function openJournal(path: string): Result<OpenedJournal, JournalDamage> {
  let fd: number;
  try {
    fd = openPlainTo(path, { to: 'extend' });
  } catch (cause) {
    return error(fileError(path, cause));
  }
  try {
    const scan = scanJournal(fd, path);
    if (scan.type === 'error') {
      closeFile(fd);
      return scan;
    }
    const { events, wholeBytes, tornBytes } = scan.value;
    if (tornBytes > 0) fs.ftruncateSync(fd, wholeBytes);
    if (wholeBytes === 0) writeWhole(fd, HEADER);
    // W5
    if (tornBytes > 0 || wholeBytes === 0) fs.fsyncSync(fd);
    else fs.fdatasyncSync(fd);
    const bytes = Math.max(wholeBytes, HEADER.length);
    return ok({
      journal: new JournalFile(path, fd, { seq: events.length, bytes, checksum: checksumOf(fd, bytes) }),
      events,
      cutBytes: tornBytes,
    });
  } catch (cause) {
    closeFile(fd);
    return error(fileError(path, cause));
  }
}

interface Waiting {
  resolve(): void;
  reject(reason: JournalWriteError): void;
}

export class JournalFile {
  #path: string;
  #fd: number | undefined;
  /** The last record that was taken, and the length of the file up to the last one that was written whole. */
  #seq: number;
  #bytes: number;
  /** Of that length. */
  #checksum: number;
  /** The same, of what is known to be on the disk. */
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

  /** As it stands on the disk; a record that was taken and is not yet written is not in it. */
  get mark(): JournalMark {
    return {
      bytes: this.#bytes,
      records: this.#writtenSeq,
      checksum: markText(this.#checksum),
    };
  }

  /** Its folder has another name now; the file is the same. */
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

  /** Written at once and not synced: for records that follow from others. Throws `JournalWriteError`. */
  appendNow(event: JournalEvent): void {
    this.#take(event);
    this.#write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Brings what was appended to the disk, answers those who wait for it, and closes the file. */
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
      // W4: what stays is a torn tail, which the next owner cuts off.
    }
  }
}
