/** A PostgreSQL database as this program uses it. The driver, `pg`, is an optional package: it is passed in by whoever loaded it. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Rows {
  query<Row = { readonly [column: string]: unknown }>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }>;
}

export interface Connection extends Rows {
  release(problem?: boolean): void;
}

/** A pool of connections. */
export interface Pool extends Rows {
  connect(): Promise<Connection>;
  end(): Promise<void>;
}

/** All or nothing. Throws what `work` throws. */
export async function inTransaction<Value>(
  pool: Pool,
  work: (rows: Connection) => Promise<Value>,
): Promise<Value> {
  const connection = await pool.connect();
  let isBroken = true;
  try {
    await connection.query('begin');
    const value = await work(connection);
    await connection.query('commit');
    isBroken = false;
    return value;
  } catch (problem) {
    await connection.query('rollback').then(
      () => {
        isBroken = false;
      },
      // The connection is gone, and the transaction with it.
      () => {},
    );
    throw problem;
  } finally {
    connection.release(isBroken);
  }
}

export interface ClosingPool extends Pool {
  /** From now on it takes nothing. What it has taken is carried out. */
  close(): void;
}

/** For work that may still run when it must write nothing more. */
export function closingPool(pool: Pool): ClosingPool {
  let isClosed = false;
  const expectOpen = (): void => {
    if (isClosed) throw new Error('this process writes nothing more');
  };
  return {
    query: async (text, values) => {
      expectOpen();
      return pool.query(text, values);
    },
    connect: async () => {
      expectOpen();
      return pool.connect();
    },
    end: () => pool.end(),
    close: () => {
      isClosed = true;
    },
  };
}

/**
 * The server does not answer, restarts, has no free connection, memory or space, is being replaced by another one and read-only until then, or has
 * ended a statement that took too long, or one of two transactions that waited for each other: nothing is wrong with the statement.
 */
export function isOutage(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false;
  const { code } = problem as { readonly code?: unknown };
  if (typeof code === 'string') return OUTAGE_CODE.test(code);
  // The driver gives no code to connections that end.
  return OUTAGE_WORDS.test(problem.message);
}

const OUTAGE_CODE =
  /^(?:ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|ETIMEDOUT|EADDRNOTAVAIL|08...|57P0[1-5]|57014|53...|58...|25006|25P03|40001|40P01)$/;
const OUTAGE_WORDS =
  /connection (?:terminated|ended|timed out)|timeout (?:exceeded|expired)|query read timeout|client was closed|not queryable|Client has encountered a connection error/i;

/** Two rows with the same key: another writer was first. */
export function isDuplicate(problem: unknown): boolean {
  return problem instanceof Error && (problem as { readonly code?: unknown }).code === '23505';
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

/** Repeats it while the server is out of reach. It must be safe to repeat. Rejects with the signal's reason. */
export async function throughOutages<Value>(
  work: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (problem) {
      if (!isOutage(problem)) throw problem;
    }
    // A stop ends the pause; the next round rejects with its reason.
    await pause(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
