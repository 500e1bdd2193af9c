/**
 * The journal of a run as rows, held by its one owner and mirrored to the run's folder.
 *
 * B1 Rows are in the order of the calls, without gaps: a batch is one statement, and the next is sent when it is committed.
 * B2 `append` resolves when its row is committed and mirrored (J2).
 * B3 The key of a row is its number in the run. Of two owners that write the same number, one succeeds; the other has lost the run and writes
 *    nothing more. A worker that is no longer the host of the run writes nothing either: otherwise it could be the one that succeeds. `writer` tells a batch of its own, whose commit was not confirmed, from one of another owner.
 * B4 While the server is out of reach nothing is lost or given up: what was appended is sent when it is back.
 * B5 The mirror has only committed rows, so an owner that lost the run writes nothing to it either. If the mirror cannot be written, the
 *    run continues without it.
 */
import type { JournalEvent } from '../../model/event.ts';
import { type JournalFile, type JournalMark, JournalWriteError } from '../../store/journal-file.ts';
import { encodeRecord } from '../../store/journal-format.ts';
import type { Journal } from '../journal.ts';
import { isDuplicate, type Pool, throughOutages } from './database.ts';

/** The code of a `JournalWriteError`: another worker owns the run. */
export const TAKEN_OVER = 'ETAKENOVER';

interface Waiting {
  readonly seq: number;
  resolve(): void;
  reject(problem: unknown): void;
}

export interface NumberedEvent {
  readonly seq: number;
  readonly event: JournalEvent;
}

export class RowJournal implements Journal {
  readonly #pool: Pool;
  readonly #owner: RowWriter;
  readonly #mirror: JournalFile;
  #seq: number;
  #pending: NumberedEvent[] = [];
  #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;
  #failure: unknown;
  #isMirrored = true;

  constructor(pool: Pool, run: Omit<RowWriter, 'path'> & { readonly records: number }, mirror: JournalFile) {
    this.#pool = pool;
    this.#owner = { runId: run.runId, host: run.host, writer: run.writer, path: mirror.path };
    this.#seq = run.records;
    this.#mirror = mirror;
  }

  get mark(): JournalMark {
    return this.#mirror.mark;
  }

  append(event: JournalEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const seq = this.#take(event);
      this.#waiting.push({ seq, resolve, reject });
    });
  }

  appendNow(event: JournalEvent): void {
    this.#take(event);
  }

  async close(): Promise<void> {
    await this.#sending;
    this.#mirror.close();
  }

  movedTo(path: string): void {
    this.#mirror.movedTo(path);
  }

  #take(event: JournalEvent): number {
    if (this.#failure !== undefined) throw this.#failure;
    this.#seq += 1;
    this.#pending.push({ seq: this.#seq, event });
    this.#sending ??= this.#send();
    return this.#seq;
  }

  async #send(): Promise<void> {
    // What is appended in the same turn of the event loop shares a statement.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#pending.length > 0) {
        const batch = this.#pending;
        this.#pending = [];
        await saveRows(this.#pool, this.#owner, batch);
        this.#copy(batch);
        const last = batch.at(-1)?.seq ?? 0;
        const saved = this.#waiting.filter(({ seq }) => seq <= last);
        this.#waiting = this.#waiting.filter(({ seq }) => seq > last);
        for (const { resolve } of saved) resolve();
      }
    } catch (problem) {
      this.#failure = problem;
      this.#pending = [];
      for (const { reject } of this.#waiting.splice(0)) reject(problem);
    } finally {
      this.#sending = undefined;
    }
  }

  /** B5 */
  #copy(batch: readonly NumberedEvent[]): void {
    if (!this.#isMirrored) return;
    try {
      for (const { event } of batch) this.#mirror.appendNow(event);
    } catch {
      this.#isMirrored = false;
    }
  }
}

export interface RowWriter {
  readonly runId: string;
  /** Its executor. */
  readonly host: string;
  /** A UUID of this owner. */
  readonly writer: string;
  /** The journal file, for messages. */
  readonly path: string;
}

/** Resolves when the rows are committed; rejects with `JournalWriteError` if another owner has the run, or has written one of them (B3, B4). */
export async function saveRows(pool: Pool, owner: RowWriter, batch: readonly NumberedEvent[]): Promise<void> {
  const seqs = batch.map(({ seq }) => seq);
  // Rows are committed in order, so each line can say that everything before it is saved.
  const lines = batch.map(({ event, seq }) => encodeRecord(event, seq, seq - 1).slice(0, -1));
  await throughOutages(async () => {
    try {
      // The lock makes another host wait, which then reads these rows too.
      const { rowCount } = await pool.query(
        `with own as (select from orchestrate.runs where run_id = $1 and host = $5 for share)
         insert into orchestrate.events (run_id, seq, writer, line)
         select $1, seq, $2, line from own, unnest($3::integer[], $4::text[]) as sent (seq, line)`,
        [owner.runId, owner.writer, seqs, lines, owner.host],
      );
      if (rowCount === 0) throw new JournalWriteError(owner.path, takenOver());
    } catch (problem) {
      if (!isDuplicate(problem)) throw problem;
      if (!(await isOwn(pool, owner, seqs))) throw new JournalWriteError(owner.path, takenOver());
    }
  });
}

async function isOwn(pool: Pool, { runId, writer }: RowWriter, seqs: readonly number[]): Promise<boolean> {
  const { rows } = await pool.query<{ readonly own: string }>(
    'select count(*) as own from orchestrate.events where run_id = $1 and seq = any($2) and writer = $3',
    [runId, seqs, writer],
  );
  return Number(rows[0]?.own) === seqs.length;
}

function takenOver(): Error {
  return Object.assign(new Error('another worker has taken over the run'), { code: TAKEN_OVER });
}
