import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectToRead } from '../../src/cluster/connect.ts';
import { inTransaction, isOutage } from '../../src/engine/dbos/database.ts';
import type { EngineSettings } from '../../src/model/engine-settings.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { query } from '../rig/postgres/server.ts';

const database = databaseForFile();

const SETTINGS: EngineSettings = {
  ...{ use: 'asked', databaseEnv: 'DATABASE', labels: {} },
  ...{ pollMs: 1000, deadAfterMs: 30_000, maxWorkerDeaths: 3 },
};

describe('a connection that the server ends while it is in use', () => {
  it('fails what uses it as an outage, and nothing else', async () => {
    const connected = connectToRead({
      settings: SETTINGS,
      environment: { DATABASE: database.url },
      dist: path.resolve('dist'),
    });
    if (connected.type === 'error') throw new Error(connected.error.type);
    const { pool } = connected.value;
    const work = inTransaction(pool, async (rows) => {
      const { rows: found } = await rows.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
      // It breaks between two statements of the transaction.
      await query(database.url, `select pg_terminate_backend(${found[0]?.pid}, 5000)`);
      await rows.query('select 1');
    });
    const problem = await work.catch((cause: unknown) => cause);
    expect(isOutage(problem)).toBe(true);
    expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    await pool.end();
  });
});
