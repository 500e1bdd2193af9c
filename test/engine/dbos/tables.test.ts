import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, type Pool, throughOutages } from '../../../src/engine/dbos/database.ts';
import { createTables } from '../../../src/engine/dbos/tables.ts';
import { databaseForFile } from '../../rig/postgres/for-file.ts';
import { query } from '../../rig/postgres/server.ts';

const database = databaseForFile();
let url: string;
beforeEach(async () => {
  url = await database.create();
});

/** `work` with connections of their own, which are closed afterwards. */
async function withPool(work: (pool: Pool) => Promise<void>, options = ''): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, options });
  try {
    await work(pool as unknown as Pool);
  } finally {
    await pool.end();
  }
}

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const waiting = await query(url, 'select from pg_locks where not granted');
    if (waiting.length > 0) return;
  }
}

describe('the tables of the engine', () => {
  it('are left alone by workers that start while work is done in them', async () => {
    await withPool(createTables);
    await withPool((pool) =>
      inTransaction(pool, async (rows) => {
        await rows.query('lock table orchestrate.calls, orchestrate.runs in row exclusive mode');
        await withPool(createTables, '-c lock_timeout=3s');
      }),
    );
  });

  it('of another version are brought up to date without a deadlock with what is done in them', async () => {
    await withPool(createTables);
    await query(url, 'delete from orchestrate.created');
    await withPool(async (pool) => {
      let created: Promise<void> | undefined;
      await inTransaction(pool, async (rows) => {
        await rows.query('lock table orchestrate.calls in row exclusive mode');
        created = createTables(pool);
        await untilSomebodyWaits();
        await rows.query('lock table orchestrate.runs in row share mode');
      });
      await created;
    });
    expect(await query(url, 'select from orchestrate.created')).toHaveLength(1);
  });
});

describe('two transactions that wait for each other', () => {
  it('both end: the server gives one of them up, and it is repeated', async () => {
    for (const table of ['one', 'two']) await query(url, `create table ${table} (value integer)`);
    await withPool(async (pool) => {
      let attempts = 0;
      let haveFirst = 0;
      const lockBoth = (first: string, second: string): Promise<void> =>
        throughOutages(() =>
          inTransaction(pool, async (rows) => {
            attempts += 1;
            await rows.query(`lock table ${first} in exclusive mode`);
            haveFirst += 1;
            while (haveFirst < 2) await new Promise((resolve) => setImmediate(resolve));
            await rows.query(`lock table ${second} in exclusive mode`);
          }),
        );
      await Promise.all([lockBoth('one', 'two'), lockBoth('two', 'one')]);
      expect(attempts).toBe(3);
    });
  });
});
