/**
 * The journal of the keeper and its lock. Both are made when the keeper has something to record: a keeper with nothing to do writes
 * nothing (J6). A damaged journal is kept under another name, and a new one begins.
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import {
  asKeeperEvent,
  asRecord,
  type KeeperEvent,
  KeeperRecord,
  readKeeperRecord,
} from '../operations/schedules/keeper-events.ts';
import { createJournal, type JournalFile, openJournal, replaceJournal } from '../store/journal-file.ts';
import { keepAside } from '../store/keep-aside.ts';
import { keeperPaths } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Held, heldBy, type Lock } from '../store/lock.ts';
import { makeFolder } from '../store/make-folder.ts';
import { makeOrchestrateFolder } from '../store/orchestrate-folder.ts';
import { removeFile } from '../store/remove-file.ts';
import { hasRun } from './runs.ts';

/** About a thousand starts. What is left of it is a few lines for each schedule and each run that was taken up. */
const LARGEST_BYTES = 256 * 1024;

/** Another process keeps the workspace. */
export class KeptElsewhere extends Error {
  readonly held: Held;

  constructor(held: Held) {
    super('another process keeps this workspace');
    this.held = held;
  }
}

/** The journal is held now; what was decided before may be about an older one. */
export class LookAgain extends Error {}

export class KeeperJournal {
  readonly #workspace: string;
  readonly #onDamage: (problem: string) => void;
  readonly #now: () => Date;
  #record: KeeperRecord | undefined;
  #summaryBytes = 0;
  #lock: Lock | undefined;
  #file: JournalFile | undefined;

  /** `onDamage` gets a sentence. */
  constructor(workspace: string, onDamage: (problem: string) => void, now: () => Date) {
    this.#workspace = workspace;
    this.#onDamage = onDamage;
    this.#now = now;
  }

  get record(): KeeperRecord {
    this.#record ??= readKeeperRecord(this.#workspace).record;
    return this.#record;
  }

  /** The other process that keeps the workspace, if any. */
  heldElsewhere(): Held | undefined {
    return this.#lock === undefined ? heldBy(keeperPaths(this.#workspace).lock) : undefined;
  }

  /** Call it before anything is done. Throws `LookAgain` the first time, and `KeptElsewhere`. */
  hold(): void {
    if (this.#file !== undefined) return;
    const paths = keeperPaths(this.#workspace);
    makeOrchestrateFolder(dirname(paths.folder));
    makeFolder(paths.folder, 0o700);
    if (this.#lock === undefined) {
      const locked = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
      if (locked.type === 'error') throw new KeptElsewhere(locked.error);
      this.#lock = locked.value;
    }
    this.#open(paths.journal);
    throw new LookAgain();
  }

  #open(path: string): void {
    this.#record = new KeeperRecord();
    const record = this.#record;
    if (!fs.existsSync(path)) {
      this.#file = createJournal(path);
      return;
    }
    const opened = openJournal(path, { visit: (event) => record.apply(asKeeperEvent(event)) });
    if (opened.type === 'ok') {
      this.#file = opened.value.journal;
      this.#compact();
      return;
    }
    const keptAs = keepAside(path);
    removeFile(path);
    this.#onDamage(`${opened.error.message}; it is kept as \`${keptAs}\`, and schedules start from scratch`);
    this.#record = new KeeperRecord();
    this.#file = createJournal(path);
  }

  /** Resolves when the event is on the disk. */
  async append(event: KeeperEvent): Promise<void> {
    this.hold();
    await this.#file?.append(asRecord(event));
    this.record.apply(event);
    this.#compact();
  }

  /** K3. If the disk does not allow it, the journal stays as it is. */
  #compact(): void {
    const path = keeperPaths(this.#workspace).journal;
    // A summary that is large itself is not made again and again.
    if (fs.statSync(path).size <= Math.max(LARGEST_BYTES, 2 * this.#summaryBytes)) return;
    const summary = this.record.summary(this.#now(), (runId) => hasRun(this.#workspace, runId));
    try {
      replaceJournal(path, [asRecord(summary)]);
    } catch {
      return;
    }
    this.#summaryBytes = fs.statSync(path).size;
    this.#closeFile();
    this.#open(path);
  }

  /** After a failed write, which leaves the file unusable (W4), or a look at another process's journal. */
  reopen(): void {
    this.#closeFile();
    this.#record = undefined;
  }

  close(): void {
    this.#closeFile();
    this.#lock?.release();
    this.#lock = undefined;
    this.#record = undefined;
  }

  #closeFile(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
