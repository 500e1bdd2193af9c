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
 */
import type { StepKey } from '../model/ids.ts';
import type { BranchCall, BranchResult, Durable, Pool } from './durable.ts';

/** What a pool needs from its engine. */
export interface PoolHost<Effects> {
  branch(key: StepKey): Durable<Effects>;
  /** The position of its recorded end, counted from the first; undefined if none is recorded. */
  recordedEnd(key: StepKey): number | undefined;
  recordEnd(key: StepKey): void;
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
  const running = new Map<StepKey, Promise<Settled<Output>>>();
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
      running.set(call.key, settle(host, call));
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
  };
  try {
    return await body(pool);
  } finally {
    // P5
    await Promise.all(running.values());
  }
}

/** Never rejects, so a branch that is not awaited causes no unhandled rejection. */
async function settle<Effects, Output>(
  host: PoolHost<Effects>,
  { key, body }: BranchCall<Effects, Output>,
): Promise<Settled<Output>> {
  try {
    return { type: 'ended', result: { key, output: await body(host.branch(key)) } };
  } catch (problem) {
    return { type: 'threw', problem };
  }
}

/** P3 */
function nextSettled<Effects, Output>(
  host: PoolHost<Effects>,
  running: ReadonlyMap<StepKey, Promise<Settled<Output>>>,
): Promise<Settled<Output>> {
  let first: { readonly order: number; readonly settled: Promise<Settled<Output>> } | undefined;
  for (const [key, settled] of running) {
    const order = host.recordedEnd(key);
    if (order !== undefined && (first === undefined || order < first.order)) first = { order, settled };
  }
  return first?.settled ?? Promise.race(running.values());
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
