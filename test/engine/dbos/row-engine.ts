import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';
import { register } from '../../../src/cluster/membership.ts';
import { turnId } from '../../../src/cluster/runs.ts';
import type { OwnTurn } from '../../../src/cluster/turn.ts';
import type { Carrier } from '../../../src/engine/dbos/carrier.ts';
import { queueOfLabel } from '../../../src/engine/dbos/carrier.ts';
import type { Connection, Pool } from '../../../src/engine/dbos/database.ts';
import { CallsHere } from '../../../src/engine/dbos/do-call.ts';
import {
  createCarrier,
  type DbosInternals,
  type DbosPackage,
  type Executor,
  launchExecutor,
} from '../../../src/engine/dbos/executor.ts';
import { Listener, type ListeningClient } from '../../../src/engine/dbos/listener.ts';
import { eventsAfter } from '../../../src/engine/dbos/row-events.ts';
import { saveRows } from '../../../src/engine/dbos/row-journal.ts';
import { numbered, type RowOwner, resumeRowRun, startRowRun } from '../../../src/engine/dbos/row-run.ts';
import { createTables } from '../../../src/engine/dbos/tables.ts';
import type { Effect, Program } from '../../../src/engine/durable.ts';
import type { RunEnd, RunHost } from '../../../src/engine/run-host.ts';
import type { JournalEvent } from '../../../src/model/event.ts';
import { createRunId, type RunId } from '../../../src/model/ids.ts';
import type { EffectOutput } from '../../../src/model/record.ts';
import type { Engine, TestEffects, World } from '../../conformance/durable.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const load = createRequire(import.meta.url);
const POLL_MS = 100;
const VERSION = 'test';

/** DBOS and its tables in this process, with one worker that carries out the calls of every run of the file. */
export class Cluster {
  readonly worlds = new Map<string, World>();
  readonly pool: Pool;
  readonly carrier: Carrier & { close(): Promise<void> };
  readonly listener: Listener;
  readonly #executor: Executor;

  private constructor(parts: Pick<Cluster, 'pool' | 'carrier' | 'listener'>, executor: Executor) {
    this.pool = parts.pool;
    this.carrier = parts.carrier;
    this.listener = parts.listener;
    this.#executor = executor;
  }

  static async create(url: string): Promise<Cluster> {
    const sql = new pg.Pool({ connectionString: url });
    sql.on('error', () => {});
    const pool = sql as unknown as Pool;
    await createTables(pool);
    const dbos = load('@dbos-inc/dbos-sdk') as DbosPackage;
    const internals = load('@dbos-inc/dbos-sdk/internal/dbos') as DbosInternals;
    const name = `test-${randomBytes(4).toString('hex')}`;
    const row = { executor: name, name, version: VERSION, labels: ['default'], takesRuns: false };
    const registering = { deadAfterMs: 60_000, signal: new AbortController().signal, onWait() {} };
    await register(pool, { ...row, filesBy: 'folder' }, registering);
    let cluster: Cluster | undefined;
    const calls = new CallsHere({
      ...{ pool, executor: name, name, maxWorkerDeaths: 3 },
      leaves: () => undefined,
      slots: () => 16,
      perform: async ({ run_id }, { effect, input, key, attempt, asked = [] }, signal) => {
        const world = cluster?.worlds.get(run_id);
        const run = world?.effects[effect as keyof TestEffects] as Effect<unknown, EffectOutput> | undefined;
        if (run === undefined) throw new Error(`no world for \`${run_id}\``);
        const output = await run(input, {
          ...{ key: key as never, attempt, signal, asked },
          run: { runId: run_id, directory: '', workspace: '' },
          emit() {},
          processStarted() {},
        });
        return { output };
      },
    });
    const executor = await launchExecutor(dbos, internals, {
      ...{ url, executor: name, version: VERSION },
      queues: [
        {
          name: queueOfLabel('default', 'folder'),
          limits: { workerConcurrency: 16, minPollingIntervalMs: 20 },
        },
      ],
      turn: async () => {},
      call: async (id) => {
        await calls.carryOut(id);
      },
      onProblem() {},
    });
    const listener = new Listener(
      () => new pg.Client({ connectionString: url }) as unknown as ListeningClient,
    );
    await listener.open();
    listener.subscribe((topic) => {
      if (topic === 'cancel') void calls.stopCancelled();
    });
    cluster = new Cluster({ pool, carrier: await createCarrier(dbos, { url, pool }), listener }, executor);
    return cluster;
  }

  async close(): Promise<void> {
    await this.#executor.close(0);
    await this.listener.close();
    await this.carrier.close();
    await this.pool.end();
  }
}

/** The engine over rows as the conformance suite drives it: one run. */
export class RowEngine implements Engine {
  readonly runId: RunId = createRunId(new Date(), randomBytes(6));
  readonly #cluster: Cluster;
  readonly workspace = temporaryFolder();
  #hosts = 1;
  /** Called when the program has ended, before the run has recorded it. */
  whileEnding: () => Promise<void> = async () => {};
  /** Called when a transaction of the run is committed; what it throws takes the place of the server's confirmation. */
  whileConfirming: () => Promise<void> = async () => {};
  /** When a question was about to be recorded, and when an answer had been removed. */
  readonly questions: ('asks' | 'has forgotten')[] = [];
  /** How often the run has read its answers. */
  answersRead = 0;
  #stop = new AbortController();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async start(program: Program<TestEffects>, world: World): Promise<RunEnd> {
    await this.register();
    const { runId } = this;
    const run = { workspace: this.workspace, runId, kind: 'test', title: 'a test', program: 'main' };
    return ended(startRowRun(this.#host(program, world), { ...run, input: null, facts: {} }, this.#owner()));
  }

  async resume(
    program: Program<TestEffects>,
    world: World,
    how: { readonly continuesItself?: true } = {},
  ): Promise<RunEnd> {
    await this.takeOver();
    this.#stop = new AbortController();
    const run = { workspace: this.workspace, runId: this.runId, ...how };
    return ended(resumeRowRun(this.#host(program, world), run, this.#owner()));
  }

  /** Its turn, and the host that has it. */
  get turn(): OwnTurn {
    return { id: turnId(this.runId, 1), executor: `host ${this.#hosts}` };
  }

  /** Another host takes the turn, and does nothing yet. */
  async takeOver(): Promise<void> {
    this.#hosts += 1;
    await this.#cluster.pool.query('update orchestrate.runs set host = $2 where run_id = $1', [
      ...[this.runId, this.turn.executor],
    ]);
  }

  cancel(): void {
    this.#stop.abort({ type: 'cancelled' });
  }

  interrupt(): void {
    this.#stop.abort({ type: 'interrupted', signal: 'SIGINT' });
  }

  async answer(key: string, choice: string): Promise<void> {
    await this.#cluster.pool.query(
      'insert into orchestrate.answers (run_id, key, given) values ($1, $2, $3)',
      [...[this.runId, key, JSON.stringify({ choice })]],
    );
  }

  async register(): Promise<void> {
    await this.#cluster.pool.query(
      `insert into orchestrate.runs (run_id, workspace, plan, version, state, turn, host) values ($1, $2, '{}', $3, 'live', 1, $4)`,
      [this.runId, this.workspace, VERSION, this.turn.executor],
    );
  }

  /** As if an owner had written these and died. */
  async hold(events: readonly JournalEvent[]): Promise<void> {
    await this.register();
    const writer = { runId: this.runId, writer: randomUUID(), host: this.turn.executor, path: 'journal' };
    await saveRows(this.#cluster.pool, writer, numbered(events));
  }

  events(): Promise<readonly JournalEvent[]> {
    return eventsAfter(this.#cluster.pool, this.runId);
  }

  #owner(): RowOwner {
    const { carrier, listener } = this.#cluster;
    const { signal } = this.#stop;
    return {
      pool: this.#pool(),
      carrier,
      listener,
      version: VERSION,
      executor: this.turn.executor,
      pollMs: POLL_MS,
      signal,
      filesBy: 'folder' as const,
      travels: () => true,
      affinity: {
        needs: () => undefined,
        leaves: () => undefined,
        continuesItself: () => false,
      },
    };
  }

  #pool(): Pool {
    const { pool } = this.#cluster;
    const query: Pool['query'] = async (text, values) => {
      if (text.includes('insert into orchestrate.events') && /question-asked/.test(String(values?.[3])))
        this.questions.push('asks');
      const found = await pool.query(text, values);
      if (text.startsWith('delete from orchestrate.answers')) this.questions.push('has forgotten');
      if (/select .* from orchestrate\.answers/.test(text)) this.answersRead += 1;
      return found as never;
    };
    const connect: Pool['connect'] = async () => {
      const connection = await pool.connect();
      const confirmed: Pool['query'] = async (text, values) => {
        const found = await connection.query(text, values);
        if (text === 'commit') await this.whileConfirming();
        return found as never;
      };
      return Object.create(connection, {
        query: { value: confirmed },
        release: { value: (problem?: boolean) => connection.release(problem) },
      }) as Connection;
    };
    return Object.create(pool, { query: { value: query }, connect: { value: connect } }) as Pool;
  }

  #host(program: Program<TestEffects>, world: World): RunHost<TestEffects> {
    this.#cluster.worlds.set(this.runId, world);
    return {
      programs: { main: program },
      effects: world.effects,
      takeOver: async () => [],
      endLeftovers: async () => {
        await this.whileEnding();
        return [];
      },
      onEvent() {},
    };
  }
}

async function ended(result: ReturnType<typeof startRowRun>): Promise<RunEnd> {
  const value = await result;
  if (value.type === 'error') throw new Error(value.error.type);
  return value.value;
}
