/** Turns as rows: who may take and end one. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerRun, resumeTurn, turnId } from '../../src/cluster/runs.ts';
import { LostRunError } from '../../src/cluster/take-turn.ts';
import { abandonTurn, endTurn } from '../../src/cluster/turn.ts';
import type { Carrier } from '../../src/engine/dbos/carrier.ts';
import type { Pool } from '../../src/engine/dbos/database.ts';
import { createTables } from '../../src/engine/dbos/tables.ts';
import type { RunId } from '../../src/model/ids.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';

const database = databaseForFile();
let pool: Pool;
let runId: RunId;
let queued: string[] = [];
const carrier: Carrier = {
  enqueue: async (_, { id }) => void queued.push(id),
};

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url }) as unknown as Pool;
  await createTables(pool);
});
afterAll(() => pool.end());

/** A run in its first turn, on a host. */
beforeEach(async () => {
  runId = randomUUID() as RunId;
  queued = [];
  await pool.query(
    `insert into orchestrate.runs (run_id, workspace, plan, version, state, host, turn) values ($1, '/w', '{}', '1', 'live', 'one', 1)`,
    [runId],
  );
});

async function row(): Promise<{ readonly [column: string]: unknown } | undefined> {
  const { rows } = await pool.query(
    'select state, status, turn, host, resumption from orchestrate.runs where run_id = $1',
    [runId],
  );
  return rows[0];
}

describe('the end of a turn', () => {
  it('that the server did not confirm is not repeated in the next turn', async () => {
    const here = { id: turnId(runId, 1), executor: 'one' };
    expect(await endTurn(pool, here, { runId, status: 'failed' })).toBe(true);
    expect(await resumeTurn({ pool, carrier }, runId)).toBe(true);
    expect(await endTurn(pool, here, { runId, status: 'failed' })).toBe(true);
    await abandonTurn(pool, here, 'the hub is out of reach');
    expect(await row()).toMatchObject({ state: 'queued', turn: 2, resumption: '{"type":"resume"}' });
    expect(queued).toEqual([turnId(runId, 2)]);
  });

  it('is not the one before, if an answer has let the run continue meanwhile', async () => {
    const here = { id: turnId(runId, 1), executor: 'one' };
    const end = { runId, status: 'waiting', questions: { Ask: { message: '?', choices: ['yes'] } } } as never;
    expect(await endTurn(pool, here, end)).toBe(true);
    expect(await answerRun({ pool, carrier }, { runId, key: 'Ask', given: '{"choice":"yes"}' })).toBe(true);
    expect(await endTurn(pool, here, end)).toBe(true);
    expect(await row()).toMatchObject({ state: 'queued', turn: 2 });
  });

  it('belongs to its host: one that was given up changes nothing', async () => {
    const zombie = { id: turnId(runId, 1), executor: 'zombie' };
    await expect(endTurn(pool, zombie, { runId, status: 'completed' })).rejects.toThrow(LostRunError);
    await abandonTurn(pool, zombie, 'its folder is in use');
    expect(await row()).toMatchObject({ state: 'live', host: 'one', turn: 1 });
  });

  it('of a run that no worker could begin is recorded', async () => {
    await pool.query(`update orchestrate.runs set state = 'queued', host = null where run_id = $1`, [runId]);
    await abandonTurn(pool, { id: turnId(runId, 1), executor: 'one' }, 'its plan is damaged');
    expect(await row()).toMatchObject({ state: 'ended', status: 'interrupted' });
  });
});
