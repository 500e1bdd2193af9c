/**
 * Copies of journals, from the rows to a folder of the user's cache, where every reader of journals can read them.
 *
 * M1 A copy is the rows, line by line, up to one of them; the next time, only those after it are fetched.
 * M2 One process writes at a time. A copy that ends in the middle of a line is continued at the last whole one.
 * M3 The workspace is not touched (J6). The folder can be removed at any time, also while it is used.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Rows } from '../../engine/dbos/database.ts';
import { linesAfter } from '../../engine/dbos/row-events.ts';
import { closeFile } from '../../model/close-file.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { readJournalEnd } from '../../store/journal-end.ts';
import { replaceJournal } from '../../store/journal-file.ts';
import { HEADER } from '../../store/journal-format.ts';
import { type RunPaths, runPathsIn } from '../../store/layout.ts';
import { withLock } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { openPlainTo } from '../../store/plain-file.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { writeWhole } from '../../store/write-whole.ts';

const ROWS_AT_ONCE = 2000;
const WAIT_MS = 30_000;

export class JournalMirror {
  readonly #folder: string;
  readonly #rows: Rows;

  constructor(folder: string, rows: Rows) {
    this.#folder = folder;
    this.#rows = rows;
  }

  pathsOf(runId: RunId): RunPaths {
    return runPathsIn(join(this.#folder, runId));
  }

  /** Whether the copy has this many records. */
  hasAll(runId: RunId, records: number): boolean {
    return readJournalEnd(this.pathsOf(runId).journal)?.records === records;
  }

  /** Resolves when the copy has all rows, of which there are at least so many. */
  async bring(runId: RunId, records: number): Promise<void> {
    const { directory, journal } = this.pathsOf(runId);
    makeFolder(directory, 0o700);
    await this.#alone(async () => {
      const found = readJournalEnd(journal);
      // A database that was restored from a backup has fewer rows than the copy.
      const end = found === undefined || found.records > records ? undefined : found;
      const fd = openPlainTo(journal, { to: 'append' });
      try {
        fs.ftruncateSync(fd, end?.bytes ?? 0);
        if (end === undefined) writeWhole(fd, HEADER);
        await this.#append(fd, runId, end?.records ?? 0);
      } finally {
        closeFile(fd);
      }
    });
  }

  async #append(fd: number, runId: RunId, records: number): Promise<void> {
    for (let seq = records; ; ) {
      const lines = await linesAfter(this.#rows, runId, { seq, most: ROWS_AT_ONCE });
      if (lines.length > 0) writeWhole(fd, Buffer.from(lines.map(({ line }) => `${line}\n`).join('')));
      if (lines.length < ROWS_AT_ONCE) return;
      seq = lines.at(-1)?.seq ?? seq;
    }
  }

  /** A run that no worker has taken yet has no journal: it is shown by the record that will be its first. */
  placeQueued(runId: RunId, first: JournalEvent): RunPaths {
    const paths = this.pathsOf(runId);
    makeFolder(paths.directory, 0o700);
    const journal = join(paths.directory, 'queued.jsonl');
    replaceJournal(journal, [first]);
    return { ...paths, journal };
  }

  /** Removes the copies of all other runs: the database has them no more. */
  async keepOnly(runIds: ReadonlySet<RunId>): Promise<void> {
    const gone = namesIn(this.#folder).filter((name) => {
      const runId = parseRunId(name);
      return runId !== undefined && !runIds.has(runId);
    });
    if (gone.length === 0) return;
    await this.#alone(() => {
      for (const name of gone) removeFolder(join(this.#folder, name));
    });
  }

  async #alone(work: () => void | Promise<void>): Promise<void> {
    const done = await withLock(join(this.#folder, 'lock'), { waitMs: WAIT_MS }, work);
    if (done.type === 'error') throw new Error(`another process writes to \`${this.#folder}\``);
  }
}
