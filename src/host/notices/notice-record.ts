/**
 * `notices.jsonl` of a run: which messages are due, and which are settled. Written before a message is sent and when it has been sent or given
 * up, so that the process that takes up the run after a kill sends the rest.
 *
 * N1 A message is recorded as due before it is sent. After a kill it is sent again unless it was recorded as settled: never lost, and doubled
 *    only if the kill falls between the answer of the service and the record.
 * N2 One process at a time sends what an earlier one left: the one that holds `notices.lock`.
 */
import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import type { Message } from '../../notify/notice.ts';
import { type DueNotice, readDueNotices } from '../../operations/runs/due-notices.ts';
import type { RunPaths } from '../../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Lock } from '../../store/lock.ts';
import { openPlainTo } from '../../store/plain-file.ts';

export class NoticeRecord {
  readonly #paths: RunPaths;
  #lock: Lock | undefined;

  constructor(paths: RunPaths) {
    this.#paths = paths;
  }

  /** True if this process may send what an earlier one left (N2). */
  hold(): boolean {
    if (this.#lock !== undefined || !fs.existsSync(this.#paths.directory)) return this.#lock !== undefined;
    const locked = acquireLock(this.#paths.noticesLock, { heartbeatMs: HEARTBEAT_MS });
    if (locked.type === 'ok') this.#lock = locked.value;
    return this.#lock !== undefined;
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  due(message: Message, channels: readonly string[]): void {
    this.#append({ due: message.id ?? '', to: channels, message });
  }

  settled(message: Message, channel: string): void {
    this.#append({ settled: message.id ?? '', to: channel });
  }

  read(): ReadonlyMap<string, DueNotice> {
    return readDueNotices(this.#paths);
  }

  /** A full disk must not stop the run: then a kill may lose or double the message. */
  #append(line: object): void {
    try {
      const fd = openPlainTo(this.#paths.notices, { to: 'append' });
      try {
        fs.writeSync(fd, `${JSON.stringify(line)}\n`);
      } finally {
        closeFile(fd);
      }
    } catch {
      // See above.
    }
  }
}
