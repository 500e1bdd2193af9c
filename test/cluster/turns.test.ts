/** Turns as rows: who may take and end one. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leave, register } from '../../src/cluster/membership.ts';
import { answerRun, resumeTurn, turnId } from '../../src/cluster/runs.ts';
import { LostRunError, takeTurn } from '../../src/cluster/take-turn.ts';
import { abandonTurn, endTurn } from '../../src/cluster/turn.ts';
import type { Carrier } from '../../src/engine/dbos/carrier.ts';
import type { Pool } from '../../src/engine/dbos/database.ts';
import { CallsHere } from '../../src/engine/dbos/do-call.ts';
import { createTables } from '../../src/engine/dbos/tables.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { RunPlan } from '../../src/operations/run-plan.ts';
import { encodeRecord } from '../../src/store/journal-format.ts';
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

async function worker(executor: string): Promise<void> {
  const row = { executor, name: executor, version: '1', labels: [], takesRuns: true };
  const registering = { deadAfterMs: 60_000, signal: new AbortController().signal, onWait() {} };
  await register(pool, { ...row, filesBy: 'folder' }, registering);
}

async function row(): Promise<{ readonly [column: string]: unknown } | undefined> {
  const { rows } = await pool.query(
    'select state, status, turn, host, resumption from orchestrate.runs where run_id = $1',
    [runId],
  );
  return rows[0];
}

interface OneCall {
  readonly here: CallsHere;
  /** It has begun. */
  readonly begun: Promise<void>;
  end(): void;
}

/** A worker that carries out one call. */
async function callsOf(name: string): Promise<OneCall> {
  const executor = `${name} of ${runId}`;
  await worker(executor);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const here = new CallsHere({
    ...{ pool, executor, name: executor, maxWorkerDeaths: 3 },
    leaves: () => undefined,
    slots: () => 1,
    perform: async () => {
      begin();
      await ended;
      return { output: {} };
    },
  });
  return { here, begun, end };
}

/** A call of the run that waits for a worker. */
async function call(key: string): Promise<void> {
  const request = JSON.stringify({ effect: 'run-command', input: null, key, attempt: 1 });
  await pool.query(
    `insert into orchestrate.calls (call_id, run_id, key, attempt, label, effect, request) values ($1, $2, $3, 1, 'default', 'run-command', $4)`,
    [`${runId}/${key}~1`, runId, key, request],
  );
}

async function callRow(key: string): Promise<{ readonly [column: string]: unknown } | undefined> {
  const { rows } = await pool.query(
    'select executor, starts, ended_at is not null as is_over from orchestrate.calls where run_id = $1 and key = $2',
    [runId, key],
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
    expect(await row()).toMatchObject({
      state: 'queued',
      turn: 2,
      resumption: expect.stringContaining('resume'),
    });
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

describe('what a resume asks to repeat', () => {
  const begun = async (executor: string): Promise<unknown> => {
    await worker(`${executor} of ${runId}`);
    const taker = { pool, executor: `${executor} of ${runId}`, workspace: '/w' };
    const taken = await takeTurn(taker, turnId(runId, 2));
    return { ...taken?.plan.begin, isAskedFor: taken?.isAskedFor };
  };
  const record = (seq: number, type: string): Promise<unknown> =>
    pool.query('insert into orchestrate.events (run_id, seq, writer, line) values ($1, $2, $3, $4)', [
      ...[runId, seq, randomUUID(), encodeRecord({ type } as JournalEvent, seq, seq - 1).slice(0, -1)],
    ]);

  it('is repeated by the next host if the first one was killed before it started a step, and not twice', async () => {
    await record(1, 'step-started');
    await endTurn(pool, { id: turnId(runId, 1), executor: 'one' }, { runId, status: 'failed' });
    const plan = { runId, begin: { type: 'resume', again: ['Step'] } } as unknown as RunPlan;
    await resumeTurn({ pool, carrier }, runId, { plan });
    expect(await begun('two')).toEqual({ type: 'resume', again: ['Step'], isAskedFor: true });
    expect(await begun('three')).toEqual({ type: 'resume', again: ['Step'], isAskedFor: true });
    // The failure that the host before the resumption could not record.
    await record(2, 'run-resumed');
    await record(3, 'run-ended');
    expect(await begun('four')).toEqual({ type: 'resume', again: ['Step'], isAskedFor: true });
    await record(4, 'step-started');
    expect(await begun('five')).toEqual({ type: 'resume', isAskedFor: false });
  });
});

/** The server commits one transaction of it, and is lost before it can say so. */
function unconfirmedOnce(): Pool {
  let isLost = false;
  const connect: Pool['connect'] = async () => {
    const connection = await pool.connect();
    const query: Pool['query'] = async (text, values) => {
      const found = await connection.query(text, values);
      if (text !== 'commit' || isLost) return found as never;
      isLost = true;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    return { query, release: (problem) => connection.release(problem) };
  };
  return Object.create(pool, { connect: { value: connect } }) as Pool;
}

describe('a turn that a worker takes, and the server does not confirm it', () => {
  const taken = async (executor: string): Promise<unknown> => {
    await worker(executor);
    const turn = await takeTurn({ pool: unconfirmedOnce(), executor, workspace: '/w' }, turnId(runId, 1));
    expect(await row()).toMatchObject({ state: 'live', host: executor });
    return { isTakenOver: turn?.isTakenOver, before: turn?.before };
  };

  it('is still taken over from the host that was lost: its files are brought from the hub', async () => {
    const lost = `lost of ${runId}`;
    await worker(lost);
    await pool.query('update orchestrate.runs set host = $2 where run_id = $1', [runId, lost]);
    const before = { pid: process.pid, host: hostname() };
    expect(await taken(`next of ${runId}`)).toEqual({ isTakenOver: true, before });
  });

  it('is still not taken over, if nobody had it', async () => {
    await pool.query(`update orchestrate.runs set state = 'queued', host = null where run_id = $1`, [runId]);
    expect(await taken(`first of ${runId}`)).toEqual({ isTakenOver: false, before: undefined });
  });
});

describe('a worker that was given up', () => {
  it('takes no turn, also if it had it from the queue before: the run is hosted by another one', async () => {
    await worker('late');
    await leave(pool, 'late');
    const late = { pool, executor: 'late', workspace: '/w' };
    await expect(takeTurn(late, turnId(runId, 1))).rejects.toThrow(LostRunError);
    expect(await row()).toMatchObject({ state: 'live', host: 'one', turn: 1 });
  });

  it('begins no call: it is not taken from the worker that carries it out', async () => {
    const calls = await Promise.all(['first', 'second'].map(callsOf));
    const [first, second] = calls.map(({ here }) => here);
    await call('Step');
    await leave(pool, `first of ${runId}`);
    const ended = second?.carryOut(`${runId}/Step~1`);
    await calls[1]?.begun;
    expect(await first?.carryOut(`${runId}/Step~1`)).toBe(false);
    calls[1]?.end();
    expect(await ended).toBe(true);
    expect(await callRow('Step')).toMatchObject({ executor: `second of ${runId}`, starts: 1, is_over: true });
    expect(await first?.carryOut(`${runId}/Step~1`)).toBe(true);
  });
});

describe('a call whose run is removed while it runs', () => {
  it('is over: its worker does not keep it', async () => {
    const { here, begun, end } = await callsOf('remover');
    await call('Step');
    const ended = here.carryOut(`${runId}/Step~1`);
    await begun;
    await pool.query('delete from orchestrate.runs where run_id = $1', [runId]);
    end();
    expect(await ended).toBe(true);
  });
});
