/** The open journal of the keeper. A damaged one is kept under another name, and a new one begins. */
import fs from 'node:fs';
import {
  asKeeperEvent,
  asRecord,
  type KeeperEvent,
  KeeperRecord,
} from '../operations/schedules/keeper-events.ts';
import { createJournal, type JournalFile, openJournal } from '../store/journal-file.ts';
import { keepAside } from '../store/keep-aside.ts';
import { removeFile } from '../store/remove-file.ts';

export class KeeperJournal {
  readonly record: KeeperRecord;
  readonly #file: JournalFile;

  private constructor(file: JournalFile, record: KeeperRecord) {
    this.#file = file;
    this.record = record;
  }

  /** `onDamage` gets a sentence. */
  static open(path: string, onDamage: (problem: string) => void): KeeperJournal {
    const record = new KeeperRecord();
    if (!fs.existsSync(path)) return new KeeperJournal(createJournal(path), record);
    const opened = openJournal(path, { visit: (event) => record.apply(asKeeperEvent(event)) });
    if (opened.type === 'ok') return new KeeperJournal(opened.value.journal, record);
    const keptAs = keepAside(path);
    removeFile(path);
    onDamage(`${opened.error.message}; it is kept as \`${keptAs}\`, and schedules start from scratch`);
    return new KeeperJournal(createJournal(path), new KeeperRecord());
  }

  /** Resolves when the event is on the disk. */
  async append(event: KeeperEvent): Promise<void> {
    await this.#file.append(asRecord(event));
    this.record.apply(event);
  }

  close(): void {
    this.#file.close();
  }
}
