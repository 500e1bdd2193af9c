import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectToRead } from '../../src/cluster/connect.ts';
import { inTransaction, isOutage, type Pool } from '../../src/engine/dbos/database.ts';
import type { EngineSettings } from '../../src/model/engine-settings.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { query } from '../rig/postgres/server.ts';

const database = databaseForFile();

const SETTINGS: EngineSettings = {
  ...{ use: 'asked', databaseEnv: 'DATABASE', labels: {} },
  ...{ pollMs: 1000, deadAfterMs: 30_000, maxWorkerDeaths: 3 },
};

function pool(url: string): Pool {
  const connected = connectToRead({
    ...{ settings: SETTINGS, environment: { DATABASE: url }, dist: path.resolve('dist') },
  });
  if (connected.type === 'error') throw new Error(connected.error.type);
  onTestFinished(() => connected.value.pool.end());
  return connected.value.pool;
}

describe('a statement that the server refuses', () => {
  const problemOf = (url: string, statement: string): Promise<unknown> =>
    pool(url)
      .query(statement)
      .catch((cause: unknown) => cause);

  it('because it is read-only, as before a failover has ended, is tried again', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    expect(isOutage(await problemOf(url.href, 'create table t ()'))).toBe(true);
  });

  it('because the disk is full, or memory or time has run out, is tried again; others are not', async () => {
    const isAgain = async (code: string): Promise<boolean> => {
      const statement = `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`;
      return isOutage(await problemOf(database.url, statement));
    };
    for (const code of ['53100', '53200', '57014', '58030']) expect(await isAgain(code), code).toBe(true);
    for (const code of ['23505', '42501', '42P01', 'P0001']) expect(await isAgain(code), code).toBe(false);
  });
});

describe('a connection that the server ends while it is in use', () => {
  it('fails what uses it as an outage, and nothing else', async () => {
    const sql = pool(database.url);
    const work = inTransaction(sql, async (rows) => {
      const { rows: found } = await rows.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
      // It breaks between two statements of the transaction.
      await query(database.url, `select pg_terminate_backend(${found[0]?.pid}, 5000)`);
      await rows.query('select 1');
    });
    const problem = await work.catch((cause: unknown) => cause);
    expect(isOutage(problem)).toBe(true);
    expect((await sql.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  });
});
