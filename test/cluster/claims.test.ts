/** What a worker has taken from the queues, over the tables of DBOS. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Claims } from '../../src/cluster/claims.ts';
import type { Carrier } from '../../src/engine/dbos/carrier.ts';
import { inTransaction, type Pool } from '../../src/engine/dbos/database.ts';
import { createCarrier, type DbosPackage, migrate } from '../../src/engine/dbos/executor.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';

const database = databaseForFile();
const dbos = createRequire(import.meta.url)('@dbos-inc/dbos-sdk') as DbosPackage;
let pool: Pool;
let carrier: Carrier & { close(): Promise<void> };
let executor: string;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url }) as unknown as Pool;
  await migrate(dbos, database.url);
  carrier = await createCarrier(dbos, { url: database.url, pool });
});
afterAll(async () => {
  await carrier.close();
  await pool.end();
});
beforeEach(() => {
  executor = randomUUID();
});

/** As a worker leaves it that takes it from its queue: it learns of it by the confirmation. */
async function taken(by = executor): Promise<string> {
  const id = randomUUID();
  await inTransaction(pool, (rows) =>
    carrier.enqueue(rows, { type: 'turn', id, queue: 'runs', version: '1' }),
  );
  await pool.query(
    `update dbos.workflow_status set status = 'PENDING', executor_id = $2, owner_xid = 'it' where workflow_uuid = $1`,
    [id, by],
  );
  return id;
}

async function row(id: string): Promise<unknown> {
  const { rows } = await pool.query(
    'select status, queue_name, owner_xid from dbos.workflow_status where workflow_uuid = $1',
    [id],
  );
  return rows[0];
}

it('what a worker took without the confirmation of the server goes back to its queue', async () => {
  const claims = new Claims({ pool, executor, version: '1', dispatchMs: 0 });
  const id = await taken();
  expect(await claims.giveBackUnbegun()).toEqual([id]);
  expect(await row(id)).toEqual({ status: 'ENQUEUED', queue_name: 'runs', owner_xid: null });
  expect(await claims.giveBackUnbegun()).toEqual([]);
});

it('what it has only just taken, carries out or has ended stays, as does what another one took', async () => {
  const claims = new Claims({ pool, executor, version: '1', dispatchMs: 0 });
  const [runs, ended, other] = [await taken(), await taken(), await taken(randomUUID())];
  let end = (): void => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = claims.carryOut(runs, () => work);
  await claims.carryOut(ended, async () => {});
  expect(await claims.giveBackUnbegun()).toEqual([]);
  end();
  await running;
  expect(await claims.giveBackUnbegun()).toEqual([]);
  for (const id of [runs, ended, other]) expect(await row(id)).toMatchObject({ status: 'PENDING' });
  const soon = new Claims({ pool, executor, version: '1' });
  expect(await soon.giveBackUnbegun()).toEqual([]);
});
