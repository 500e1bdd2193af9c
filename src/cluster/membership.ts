/**
 * Which workers live, by the database's clock alone.
 *
 * H1 A worker is alive while its row has a heartbeat younger than the dead-time. It learns from its own row that it was given up, and must
 *    then end: its work has been given to others.
 * H2 Only a worker that has itself been beating without a gap for longer than the dead-time gives others up. So after an outage of the database
 *    everybody has had the time to report.
 * H3 Work of an executor without a living row goes back to its queue, whether it was given up, ended on its own, or never had a row.
 * H4 A name belongs to one living worker. H2 is true for a new one with the name of a silent one, too.
 * H5 A worker that was given up begins nothing, even before it has learned of it: whoever begins a turn or a call locks the row of its worker,
 *    so it was begun before the worker was given up, or not at all.
 * H6 What a worker took from a queue and does not begin goes back there: if the database fails as it is taken, DBOS does not know that it has it.
 */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
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

export type Registered = 'registered' | 'name-in-use' | 'stopped';

export interface Registering {
  readonly deadAfterMs: number;
  readonly signal: AbortSignal;
  /** The worker that has the name is silent: how long it has been, and how long it is still waited for. */
  onWait(silentMs: number, waitMs: number): void;
}

/** H4. A worker that has the name and stopped beating is waited for until it has been silent for the dead-time while it was watched (H2). */
export async function register(
  pool: Pool,
  row: WorkerRow,
  { deadAfterMs, signal, onWait }: Registering,
): Promise<Registered> {
  let watched: { readonly beat: string; readonly since: number } | undefined;
  let hasSaid = false;
  while (!signal.aborted) {
    const watchedMs = watched === undefined ? 0 : uptimeMs() - watched.since;
    if (await insertWorker(pool, row, watchedMs > deadAfterMs ? watched?.beat : undefined))
      return 'registered';
    const { rows } = await pool.query<{ readonly beat: string; readonly age_ms: number }>(
      `select beat_at::text as beat, (extract(epoch from now() - beat_at) * 1000)::float8 as age_ms
       from orchestrate.workers where name = $1 and dead_at is null`,
      [row.name],
    );
    const [holder] = rows;
    if (holder === undefined) continue;
    if (watched !== undefined && watched.beat !== holder.beat) return 'name-in-use';
    watched ??= { beat: holder.beat, since: uptimeMs() };
    if (!hasSaid && watchedMs > beatEveryMs(deadAfterMs)) {
      hasSaid = true;
      onWait(holder.age_ms, deadAfterMs - watchedMs);
    }
    await pause(Math.min(500, deadAfterMs / 4), undefined, { signal }).catch(() => {});
  }
  return 'stopped';
}

/** `silent`: the last heartbeat of a worker with the name, which is given up. False if one has it. */
async function insertWorker(pool: Pool, row: WorkerRow, silent: string | undefined): Promise<boolean> {
  const { executor, name, version, labels, takesRuns, filesBy } = row;
  try {
    await inTransaction(pool, async (rows) => {
      if (silent !== undefined)
        await rows.query(
          `update orchestrate.workers set dead_at = now()
           where name = $1 and dead_at is null and beat_at = $2::timestamptz`,
          [name, silent],
        );
      await rows.query(
        `insert into orchestrate.workers (executor, name, machine, pid, version, labels, takes_runs, files_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [executor, name, hostname(), process.pid, version, labels, takesRuns, filesBy],
      );
    });
    return true;
  } catch (problem) {
    if (isDuplicate(problem)) return false;
    throw problem;
  }
}

const LONGEST_BEAT_MS = 10_000;

export function beatEveryMs(deadAfterMs: number): number {
  return Math.min(LONGEST_BEAT_MS, deadAfterMs / 3);
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
