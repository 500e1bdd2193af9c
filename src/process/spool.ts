/**
 * Open files that children write into directly. Creating a file costs as much as starting a process, and most steps print
 * nothing: so a file that stayed empty serves the next process, and any other becomes its process's log by a rename.
 *
 * S1  A spool serves one process at a time.
 * S2  It serves another only if it is empty and no descendant of the earlier process can still have it open.
 * S3  It is in the folder of the log it may become, and its name says that it is not a log yet.
 */

import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { uniqueHex } from '../model/unique.ts';
import type { Holding } from './held-file.ts';
import { openLog, removeFile } from './late-file.ts';
import type { CapturedOutput, OutputRequest } from './request.ts';

const PREFIX = '.spool-';
/** Owner and number. */
const OWN = /^\.spool-[0-9a-f]{8}-\d+$/;
/** Kept open per folder: as many as run in parallel, up to this. */
const KEPT_PER_FOLDER = 64;

export interface Spool {
  readonly path: string;
  readonly descriptor: number;
  readonly folder: string;
}

export class SpoolPool {
  readonly #free = new Map<string, Spool[]>();
  readonly #owner = uniqueHex(4);
  #made = 0;

  /** Throws file system errors. */
  take(logPath: string): Spool {
    const folder = dirname(logPath);
    const kept = this.#free.get(folder)?.pop();
    // The folder may have been emptied meanwhile.
    if (kept !== undefined && fs.existsSync(kept.path)) return kept;
    if (kept !== undefined) discard(kept);
    const path = join(folder, `${PREFIX}${this.#owner}-${++this.#made}`);
    return { path, folder, descriptor: openLog(path, 'create') };
  }

  /** S2. */
  giveBack(spool: Spool): void {
    const free = this.#free.get(spool.folder) ?? [];
    if (free.length >= KEPT_PER_FOLDER) {
      discard(spool);
      return;
    }
    free.push(spool);
    this.#free.set(spool.folder, free);
  }

  close(): void {
    for (const spools of this.#free.values()) {
      for (const spool of spools) discard(spool);
    }
    this.#free.clear();
  }
}

/** One stream of one process, from the spool it writes into to its final log. */
export class SpooledOutput {
  readonly spool: Spool;
  readonly #pool: SpoolPool;
  readonly #request: OutputRequest;
  readonly #logPath: string;
  #isPublished = false;

  constructor(pool: SpoolPool, request: OutputRequest, logPath: string) {
    this.#pool = pool;
    this.#request = request;
    this.#logPath = logPath;
    this.spool = pool.take(logPath);
  }

  /** While the process runs: makes its output readable under the log's own name. */
  publish(): void {
    if (this.#isPublished || fs.fstatSync(this.spool.descriptor).size === 0) return;
    this.#rename();
  }

  /** Called after the process has exited. S2. */
  settle(holding: Holding): CapturedOutput {
    const bytes = fs.fstatSync(this.spool.descriptor).size;
    if (bytes === 0 && !this.#isPublished && holding !== 'held') {
      if (holding === 'free') this.#pool.giveBack(this.spool);
      else discard(this.spool);
      return { bytes, head: Buffer.alloc(0), tail: Buffer.alloc(0) };
    }
    try {
      // Even an empty one, if a background child can still write: its output then goes to the log.
      if (!this.#isPublished) this.#rename();
      return {
        bytes,
        head: this.#read(0, Math.min(bytes, this.#request.headBytes)),
        tail: this.#read(Math.max(0, bytes - this.#request.tailBytes), bytes),
      };
    } finally {
      closeFile(this.spool.descriptor);
    }
  }

  /** No process uses it, and none that counts has used it. */
  abandon(): void {
    if (fs.fstatSync(this.spool.descriptor).size === 0) this.#pool.giveBack(this.spool);
    else discard(this.spool);
  }

  #rename(): void {
    fs.renameSync(this.spool.path, this.#logPath);
    this.#isPublished = true;
  }

  #read(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(to - from);
    let length = 0;
    while (length < bytes.length) {
      const read = fs.readSync(this.spool.descriptor, bytes, length, bytes.length - length, from + length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  }
}

/** Removes spools that a killed owner left. Call it when its processes have ended and before new ones start. */
export function sweepSpools(folder: string): void {
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder)) {
    if (OWN.test(name)) removeFile(join(folder, name));
  }
}

export function isSpool(path: string): boolean {
  return basename(path).startsWith(PREFIX);
}

function discard(spool: Spool): void {
  closeFile(spool.descriptor);
  removeFile(spool.path);
}
