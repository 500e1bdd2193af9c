/**
 * Runs branches in parallel, in a number of slots. The program that holds the pool decides what starts next and when to stop, in ordinary
 * code.
 *
 * P1 `free` and `running` depend on `start` and `next` alone, never on time, so a replay that makes the same calls sees the same values.
 * P2 The end of a branch is recorded (`branch-ended`) before `next` returns it. The record needs no sync of its own: everything that
 *    follows from it comes later in the same journal, and a journal loses only its tail (J1, W1).
 * P3 If the journal has an end for a running branch, `next` returns that branch first, in journal order, and waits for it if needed.
 *    Otherwise it returns the first branch to end; if several have ended, the one started first. A journal without such records, from
 *    before pools existed, needs no rule of its own.
 * P4 Starting a branch without a free slot, or with the key of another, is a bug (D1).
 * P5 When `body` returns, running branches are awaited. After a stop nothing is recorded (L3).
 * P6 A branch with something to retry loses its recorded end (`forget-failures.ts`); a fork shares the ends before it (`fork.ts`).
 * P7 A stop is recorded (`branch-stopped`) before anything of the branch is stopped. A branch that the journal has as stopped starts nothing
 *    in a replay: recorded calls are answered, the first other one is rejected, and `next` leaves the branch for `stop`. A stop is forgotten
 *    if something in its pool is retried, since the program may decide differently then.
 */
import type { StepKey } from '../model/ids.ts';
import type { BranchCall, BranchResult, Durable, Pool } from './durable.ts';
import { isBranchStop } from './run-stop.ts';

/** What a pool needs from its engine. */
export interface PoolHost<Effects> {
  branch(key: StepKey): PoolBranch<Effects>;
  /** The position of its recorded end, counted from the first; undefined if none is recorded. */
  recordedEnd(key: StepKey): number | undefined;
  recordEnd(key: StepKey): void;
  hasRecordedStop(key: StepKey): boolean;
  recordStop(key: StepKey): void;
}

export interface PoolBranch<Effects> {
  readonly durable: Durable<Effects>;
  stop(): void;
  /** The branch has ended. */
  release(): void;
}

interface Running<Effects, Output> {
  readonly branch: PoolBranch<Effects>;
  readonly settled: Promise<Settled<Output>>;
  /** The journal has it as stopped, and the program has not stopped it yet (P7). */
  readonly isLeftToStop: boolean;
}

type Settled<Output> =
  | { readonly type: 'ended'; readonly result: BranchResult<Output> }
  | { readonly type: 'threw'; readonly problem: unknown };

export async function withPool<Effects, Output, Value>(
  host: PoolHost<Effects>,
  slots: number,
  body: (pool: Pool<Effects, Output>) => Promise<Value>,
): Promise<Value> {
  const started = new Set<StepKey>();
  const running = new Map<StepKey, Running<Effects, Output>>();
  const pool: Pool<Effects, Output> = {
    get free() {
      return slots - running.size;
    },
    get running() {
      return [...running.keys()];
    },
    start(call) {
      // P4
      if (running.size >= slots) throw new Error(`no free slot for \`${call.key}\``);
      if (started.has(call.key)) throw new Error(`the branch \`${call.key}\` is started twice`);
      started.add(call.key);
      const branch = host.branch(call.key);
      const isLeftToStop = host.hasRecordedStop(call.key);
      // P7
      if (isLeftToStop) branch.stop();
      running.set(call.key, { branch, settled: settle(branch, call), isLeftToStop });
    },
    async next() {
      if (running.size === 0) return undefined;
      const settled = await nextSettled(host, running);
      if (settled.type === 'threw') throw settled.problem;
      const { key } = settled.result;
      // P2
      if (host.recordedEnd(key) === undefined) host.recordEnd(key);
      running.delete(key);
      return settled.result;
    },
    async stop(key) {
      const one = running.get(key);
      if (one === undefined) throw new Error(`the branch \`${key}\` is not running`);
      // P7
      if (!one.isLeftToStop) host.recordStop(key);
      one.branch.stop();
      const settled = await one.settled;
      running.delete(key);
      if (settled.type === 'threw' && !isBranchStop(settled.problem)) throw settled.problem;
    },
  };
  try {
    return await body(pool);
  } finally {
    // P5
    await Promise.all([...running.values()].map(({ settled }) => settled));
  }
}

/** Never rejects, so a branch that is not awaited causes no unhandled rejection. */
async function settle<Effects, Output>(
  branch: PoolBranch<Effects>,
  { key, body }: BranchCall<Effects, Output>,
): Promise<Settled<Output>> {
  try {
    return { type: 'ended', result: { key, output: await body(branch.durable) } };
  } catch (problem) {
    return { type: 'threw', problem };
  } finally {
    branch.release();
  }
}

/** P3 */
function nextSettled<Effects, Output>(
  host: PoolHost<Effects>,
  running: ReadonlyMap<StepKey, Running<Effects, Output>>,
): Promise<Settled<Output>> {
  let first: { readonly order: number; readonly settled: Promise<Settled<Output>> } | undefined;
  const others: Promise<Settled<Output>>[] = [];
  for (const [key, { settled, isLeftToStop }] of running) {
    if (isLeftToStop) continue;
    others.push(settled);
    const order = host.recordedEnd(key);
    if (order !== undefined && (first === undefined || order < first.order)) first = { order, settled };
  }
  if (others.length === 0) throw new Error('the journal has every running branch as stopped');
  return first?.settled ?? Promise.race(others);
}

/** Runs all calls, each as soon as a slot is free; results are in the order of the calls. */
export async function runAll<Effects, Output>(
  durable: Durable<Effects>,
  slots: number,
  calls: readonly BranchCall<Effects, Output>[],
): Promise<readonly Output[]> {
  const outputs = new Map<StepKey, Output>();
  await durable.pool<Output, void>(slots, async (pool) => {
    const waiting = calls.values();
    for (;;) {
      while (pool.free > 0) {
        const { value: call } = waiting.next();
        if (call === undefined) break;
        pool.start(call);
      }
      const ended = await pool.next();
      if (ended === undefined) return;
      outputs.set(ended.key, ended.output);
    }
  });
  return calls.map(({ key }) => outputs.get(key) as Output);
}
