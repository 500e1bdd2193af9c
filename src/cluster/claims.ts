/** What a worker has taken from the queues, and which of it it has begun (H6 of `membership.ts`). */
import type { Pool } from '../engine/dbos/database.ts';
import { uptimeMs } from '../model/uptime.ts';

/** After an outage, DBOS tries for up to a minute to read what it has taken. */
const LONGEST_DISPATCH_MS = 120_000;

interface Claimer {
  readonly pool: Pool;
  readonly executor: string;
  readonly version: string;
  /** How long something may be taken and not begun. */
  readonly dispatchMs?: number;
}

export class Claims {
  readonly #claimer: Claimer;
  /** What was begun, until DBOS has noted its end. */
  readonly #begun = new Map<string, 'runs' | 'has-ended'>();
  /** Taken and not begun → since when it has been seen. */
  #waiting: ReadonlyMap<string, number> = new Map();

  constructor(claimer: Claimer) {
    this.#claimer = claimer;
  }

  async carryOut(id: string, work: () => Promise<void>): Promise<void> {
    this.#begun.set(id, 'runs');
    try {
      await work();
    } finally {
      this.#begun.set(id, 'has-ended');
    }
  }

  /** H6. Returns what goes back to its queue. */
  async giveBackUnbegun(): Promise<readonly string[]> {
    const { pool, executor, version, dispatchMs = LONGEST_DISPATCH_MS } = this.#claimer;
    const ended = [...this.#begun].flatMap(([id, state]) => (state === 'has-ended' ? [id] : []));
    const { rows } = await pool.query<{ readonly id: string }>(
      `select workflow_uuid as id from dbos.workflow_status
       where status = 'PENDING' and executor_id = $1 and application_version = $2`,
      [executor, version],
    );
    const taken = new Set(rows.map(({ id }) => id));
    for (const id of ended) if (!taken.has(id) && this.#begun.get(id) === 'has-ended') this.#begun.delete(id);
    const now = uptimeMs();
    const unbegun = [...taken].filter((id) => !this.#begun.has(id));
    this.#waiting = new Map(unbegun.map((id) => [id, this.#waiting.get(id) ?? now]));
    const late = [...this.#waiting].flatMap(([id, since]) => (now - since < dispatchMs ? [] : [id]));
    if (late.length === 0) return [];
    await pool.query(
      `update dbos.workflow_status set status = 'ENQUEUED', started_at_epoch_ms = null, owner_xid = null
       where workflow_uuid = any($1) and status = 'PENDING' and executor_id = $2`,
      [late, executor],
    );
    return late;
  }
}
