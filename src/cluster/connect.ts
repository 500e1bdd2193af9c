/** The database that the machines share, and the packages that reach it, which are loaded only here. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Carrier } from '../engine/dbos/carrier.ts';
import type { Pool } from '../engine/dbos/database.ts';
import { createCarrier, type DbosInternals, type DbosPackage, migrate } from '../engine/dbos/executor.ts';
import { Listener, type ListeningClient } from '../engine/dbos/listener.ts';
import { createTables } from '../engine/dbos/tables.ts';
import type { EngineSettings } from '../model/engine-settings.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Problem } from '../operations/problem.ts';

export interface Machines {
  readonly url: string;
  readonly pool: Pool;
  readonly listener: Listener;
  readonly carrier: Carrier & { close(): Promise<void>; forget(ids: readonly string[]): Promise<void> };
  readonly dbos: DbosPackage;
  readonly internals: DbosInternals;
  close(): Promise<void>;
}

interface EventfulPool extends Pool {
  on(event: 'error', listener: () => void): void;
  on(event: 'connect', listener: (client: { on(event: 'error', listener: () => void): void }) => void): void;
}

interface PgPackage {
  readonly Pool: new (options: object) => EventfulPool;
  readonly Client: new (options: object) => ListeningClient;
}

export interface Connecting {
  readonly settings: EngineSettings;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Folder of the built program. */
  readonly dist: string;
}

/** A server that vanished without a word must not hold a connection for the quarter of an hour after which the kernel gives up. */
const NOTICES_SILENCE = { connectionTimeoutMillis: 10_000, query_timeout: 60_000, keepAlive: true };

const DBOS_PACKAGE = '@dbos-inc/dbos-sdk';

const PREPARING = 7_236_411;
const PREPARING_POLL_MS = 100;

/**
 * Several workers may be the first to use a database, for which DBOS is not made. No statement waits for the lock: indexes that are built
 * meanwhile would wait for its end.
 */
async function oneAtATime(pool: Pool, work: () => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  try {
    for (;;) {
      const { rows } = await connection.query<{ readonly is_mine: boolean }>(
        'select pg_try_advisory_lock($1) as is_mine',
        [PREPARING],
      );
      if (rows[0]?.is_mine === true) break;
      await new Promise((resolve) => setTimeout(resolve, PREPARING_POLL_MS));
    }
    await work();
    await connection.query('select pg_advisory_unlock($1)', [PREPARING]);
    connection.release();
  } catch (problem) {
    connection.release(true);
    throw problem;
  }
}

export async function connect(connecting: Connecting): Promise<Result<Machines, Problem>> {
  const { settings, environment } = connecting;
  const url = environment[settings.databaseEnv] ?? '';
  if (url === '') return error({ type: 'no-database', variable: settings.databaseEnv });
  const loaded = loadPackages(connecting);
  if (loaded === undefined) return error({ type: 'no-engine-packages' });
  const { pg, dbos, internals } = loaded;
  // DBOS uses the driver's pool in a way that the driver warns about, on the terminal of our users.
  process.noDeprecation = true;
  const pool = new pg.Pool({ connectionString: url, max: 10, ...NOTICES_SILENCE });
  surviveBrokenConnections(pool);
  try {
    await oneAtATime(pool, async () => {
      await createTables(pool);
      await migrate(dbos, url);
    });
  } catch (cause) {
    await pool.end();
    return error(unreachable(settings, cause));
  }
  const listener = new Listener(() => new pg.Client({ connectionString: url, ...NOTICES_SILENCE }));
  await listener.open();
  const carrier = await createCarrier(dbos, { url, pool });
  return ok({
    ...{ url, pool, listener, carrier, dbos, internals },
    close: async () => {
      await listener.close();
      await carrier.close();
      await pool.end();
    },
  });
}

/** The database alone, for those who only read: loading the driver takes a hundredth of the time of the rest. It does not keep the process running. */
export function connectToRead({
  settings,
  environment,
  dist,
}: Connecting): Result<{ readonly pool: Pool; readonly url: string }, Problem> {
  const url = environment[settings.databaseEnv] ?? '';
  if (url === '') return error({ type: 'no-database', variable: settings.databaseEnv });
  const load = packagesBeside(dist, ['pg']);
  if (load === undefined) return error({ type: 'no-engine-packages' });
  const { Pool } = load('pg') as PgPackage;
  const pool = new Pool({
    ...NOTICES_SILENCE,
    ...{ connectionString: url, max: 3, connectionTimeoutMillis: 5000, allowExitOnIdle: true },
  });
  surviveBrokenConnections(pool);
  return ok({ pool, url });
}

/** A connection that breaks while it has nothing to do, also one in use between two statements: its next statement fails, or the pool opens another. */
function surviveBrokenConnections(pool: EventfulPool): void {
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
}

/** Why the database cannot be used, in the driver's words. */
export function unreachable({ databaseEnv }: EngineSettings, cause: unknown): Problem {
  const reason =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause);
  return { type: 'unreachable-database', variable: databaseEnv, reason };
}

/** Only beside this program: a package in the workspace may come from others. */
export function packagesBeside(dist: string, names: readonly string[]): NodeJS.Require | undefined {
  const load = createRequire(join(dist, 'package.json'));
  try {
    for (const name of names) load.resolve(name);
    return load;
  } catch {
    return undefined;
  }
}

function loadPackages({
  dist,
}: Pick<Connecting, 'dist'>):
  | { readonly pg: PgPackage; readonly dbos: DbosPackage; readonly internals: DbosInternals }
  | undefined {
  const load = packagesBeside(dist, ['pg', DBOS_PACKAGE]);
  if (load === undefined) return undefined;
  return {
    pg: load('pg') as PgPackage,
    dbos: load(DBOS_PACKAGE) as DbosPackage,
    internals: load(`${DBOS_PACKAGE}/internal/dbos`) as DbosInternals,
  };
}
