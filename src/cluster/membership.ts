/**
 * Which workers live, by the database's clock alone.
 *
 * H1 A worker is alive while its row has a heartbeat younger than the dead-time. It learns from its own row that it was given up, and must
 *    then end: its work has been given to others.
 * H2 Only a worker that has itself been beating without a gap for longer than the dead-time gives others up. So after an outage of the database
 *    everybody has had the time to report.
 * H3 Work of an executor without a living row goes back to its queue, whether it was given up, ended on its own, or never had a row.
 * H4 A name belongs to one living worker.
 * H5 A worker that was given up begins nothing, even before it has learned of it: whoever begins a turn or a call locks the row of its worker,
 *    so it was begun before the worker was given up, or not at all.
 * H6 What a worker took from a queue and does not begin goes back there: if the database fails as it is taken, DBOS does not know that it has it.
 */
import { hostname } from 'node:os';
import { releaseWaiting } from '../engine/dbos/affinity.ts';
import type { FilesBy } from '../engine/dbos/carrier.ts';
import { inTransaction, isDuplicate, type Pool, type Rows } from '../engine/dbos/database.ts';
import type { Executor } from '../engine/dbos/executor.ts';
import { uptimeMs } from '../model/uptime.ts';

export interface WorkerRow {
  readonly executor: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly takesRuns: boolean;
  readonly filesBy: FilesBy;
}

/** H4: false if a living worker has the name. One that stopped beating is waited for until the dead-time is over. */
export async function register(pool: Pool, row: WorkerRow, deadAfterMs: number): Promise<boolean> {
  let beat: string | undefined;
  for (;;) {
    try {
      await inTransaction(pool, async (rows) => {
        await rows.query(
          `update orchestrate.workers set dead_at = now()
           where name = $1 and dead_at is null and beat_at < now() - $2 * interval '1 millisecond'`,
          [row.name, deadAfterMs],
        );
        await rows.query(
          `insert into orchestrate.workers (executor, name, machine, pid, version, labels, takes_runs, files_by)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            row.executor,
            row.name,
            hostname(),
            process.pid,
            row.version,
            row.labels,
            row.takesRuns,
            row.filesBy,
          ],
        );
      });
      return true;
    } catch (problem) {
      if (!isDuplicate(problem)) throw problem;
    }
    const { rows } = await pool.query<{ readonly beat: string }>(
      'select beat_at::text as beat from orchestrate.workers where name = $1 and dead_at is null',
      [row.name],
    );
    const latest = rows[0]?.beat;
    if (latest !== undefined && beat !== undefined && latest !== beat) return false;
    beat = latest;
    await new Promise((resolve) => setTimeout(resolve, Math.min(500, deadAfterMs / 4)));
  }
}

/** One process reaps at a time. */
const REAPING = 7_236_413;

export class Heartbeat {
  readonly #pool: Pool;
  readonly #executor: string;
  readonly #deadAfterMs: number;
  /** Since when it has been beating without a gap, and its last beat, by this machine's monotonic clock. */
  #since: number | undefined;
  #last = 0;

  constructor(pool: Pool, executor: string, deadAfterMs: number) {
    this.#pool = pool;
    this.#executor = executor;
    this.#deadAfterMs = deadAfterMs;
  }

  /** False: this worker was given up (H1). Throws while the database is out of reach. */
  async beat(): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'update orchestrate.workers set beat_at = now() where executor = $1 and dead_at is null',
      [this.#executor],
    );
    if (rowCount === 0) return false;
    const now = uptimeMs();
    if (this.#since === undefined || now - this.#last > this.#deadAfterMs) this.#since = now;
    this.#last = now;
    return true;
  }

  /** Gives up the dead, and returns what they had to its queues (H2, H3). */
  async reap(executor: Executor, version: string): Promise<readonly string[]> {
    if (this.#since === undefined || this.#last - this.#since <= this.#deadAfterMs) return [];
    const gone = await inTransaction(this.#pool, async (rows) => {
      const { rows: locks } = await rows.query<{ readonly is_mine: boolean }>(
        'select pg_try_advisory_xact_lock($1) as is_mine',
        [REAPING],
      );
      if (locks[0]?.is_mine !== true) return [];
      await rows.query(
        `update orchestrate.workers set dead_at = now()
         where dead_at is null and beat_at < now() - $1 * interval '1 millisecond'`,
        [this.#deadAfterMs],
      );
      const { rows: without } = await rows.query<{ readonly executor_id: string }>(
        `select distinct executor_id from dbos.workflow_status
         where status = 'PENDING' and application_version = $1
           and executor_id not in (select executor from orchestrate.workers where dead_at is null)`,
        [version],
      );
      return without.map(({ executor_id }) => executor_id);
    });
    if (gone.length > 0) await executor.recover(gone);
    await releaseWaiting(this.#pool);
    return gone;
  }
}

export const GIVEN_UP = 'it did not report for too long, and its work was given to others';

/** H5, in a transaction. */
export async function isMember(rows: Rows, executor: string): Promise<boolean> {
  const found = await rows.query(
    'select from orchestrate.workers where executor = $1 and dead_at is null for share',
    [executor],
  );
  return found.rows.length > 0;
}

/** It was stopped. Its calls are begun again, and have not lost a worker. */
export async function leave(pool: Pool, executor: string): Promise<void> {
  await pool.query(
    `with gone as (
       update orchestrate.workers set dead_at = now() where executor = $1 and dead_at is null returning executor
     )
     update orchestrate.calls set given_back = given_back + 1
     where executor in (select executor from gone) and ended_at is null`,
    [executor],
  );
}
