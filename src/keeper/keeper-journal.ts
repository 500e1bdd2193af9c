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
import { createJournal, type JournalFile, openJournal } from '../store/journal-file.ts';
import { keepAside } from '../store/keep-aside.ts';
import { keeperPaths } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Held, heldBy, type Lock } from '../store/lock.ts';
import { makeFolder } from '../store/make-folder.ts';
import { makeOrchestrateFolder } from '../store/orchestrate-folder.ts';
import { removeFile } from '../store/remove-file.ts';

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
  #record: KeeperRecord | undefined;
  #lock: Lock | undefined;
  #file: JournalFile | undefined;

  /** `onDamage` gets a sentence. */
  constructor(workspace: string, onDamage: (problem: string) => void) {
    this.#workspace = workspace;
    this.#onDamage = onDamage;
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
