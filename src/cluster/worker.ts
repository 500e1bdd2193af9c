/**
 * A worker: one process that hosts runs and carries out calls of its labels, until it is stopped or given up.
 *
 * V1 Its executor id is new at every start: no process takes up what another one still does.
 * V2 A worker that was given up, or has lost a run, stops everything and ends as failed: it records nothing more.
 * V3 Told to stop, it takes nothing new, waits for what runs, and gives the rest back: what it stops is not recorded as failed.
 * V4 It reports from the moment that others see it, also while it still starts.
 */
import { hostname } from 'node:os';
import { HELD } from '../effects/held.ts';
import { labelOfName, queueOfLabel, queueOfRuns } from '../engine/dbos/carrier.ts';
import { closingPool, isOutage } from '../engine/dbos/database.ts';
import { CallsHere } from '../engine/dbos/do-call.ts';
import { type Executor, launchExecutor, type QueueLimits } from '../engine/dbos/executor.ts';
import { LiveProgress } from '../engine/dbos/live-progress.ts';
import { defined } from '../model/defined.ts';
import { type EngineSettings, USUAL_PER_WORKER } from '../model/engine-settings.ts';
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import { uniqueHex } from '../model/unique.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';
import { MARK_VARIABLE } from '../process/marks.ts';
import { killAllNow } from '../process/running-processes.ts';
import type { Held } from '../store/lock.ts';
import { Claims } from './claims.ts';
import type { Machines } from './connect.ts';
import { openCache, type WorkerCache } from './files/open-cache.ts';
import { beatEveryMs, GIVEN_UP, Heartbeat, leave, register } from './membership.ts';
import { type CallPlan, performCall } from './perform-call.ts';
import type { Watched } from './runs.ts';
import { LostRunError } from './take-turn.ts';
import { abandonTurn, carryOutTurn } from './turn.ts';
import { postWarden } from './warden.ts';

export interface WorkerOptions {
  readonly site: Site;
  readonly settings: EngineSettings;
  readonly dist: string;
  readonly version: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly takesRuns: boolean;
  /** How long running work is waited for at the end. */
  readonly drainMs: number;
  /** The command of the warden, without its argument. */
  readonly warden: readonly string[];
  /** Stops it. */
  readonly signal: AbortSignal;
  onReady(executor: string): void;
  onProblem(problem: string): void;
}

export type WorkerEnd =
  | { readonly type: 'stopped' }
  | { readonly type: 'name-in-use'; readonly name: string }
  /** The folder for files from the hub cannot be used. */
  | { readonly type: 'no-files'; readonly failure: Failure }
  /** Others have its work. */
  | { readonly type: 'given-up'; readonly reason: string };

/** Several runs wait on one machine at little cost: their work is elsewhere. */
const RUNS_PER_WORKER = 50;

export async function runWorker(machines: Machines, options: WorkerOptions): Promise<WorkerEnd> {
  const { settings, name, version, labels, takesRuns, signal, dist, site } = options;
  const { pool } = machines;
  const { deadAfterMs, pollMs } = settings;
  const executor = `${hostname()}-${process.pid}-${uniqueHex(8)}`;
  const filesBy = settings.workspace?.type === 'git' ? ('git' as const) : ('folder' as const);
  const row = { executor, name, version, labels: [...labels, labelOfName(name)], takesRuns, filesBy };
  const mark = `worker:${executor}`;
  const closing = new AbortController();
  const cache = await openFiles(options, { mark, signal: closing.signal });
  if (cache.type === 'error')
    return cache.error.type === 'held'
      ? { type: 'name-in-use', name }
      : { type: 'no-files', failure: cache.error };
  const { clone } = cache.value ?? {};
  const registered = await register(pool, row, {
    ...{ deadAfterMs, signal },
    onWait: (silentMs, waitMs) => {
      const [silent, wait] = [silentMs, waitMs].map((ms) => Math.round(ms / 1000));
      const has = `worker \`${name}\`, which has not reported for ${silent} s`;
      options.onProblem(`waiting up to ${wait} s for ${has}, before this one takes its name`);
    },
  });
  if (registered !== 'registered') {
    cache.value?.close();
    return registered === 'stopped' ? { type: 'stopped' } : { type: 'name-in-use', name };
  }
  process.env[MARK_VARIABLE] = [process.env[MARK_VARIABLE], mark].filter(Boolean).join(',');
  const warden = postWarden(options.warden, mark);
  let isOver: (end: WorkerEnd) => void = () => {};
  const over = new Promise<WorkerEnd>((resolve) => {
    isOver = resolve;
  });
  const giveUp = (reason: string): void => isOver({ type: 'given-up', reason });
  const place = {
    ...{ site, dist, executor, live: new LiveProgress(pool) },
    ...defined({ clone }),
    onMark: (change: 'begins' | 'ends', call: string) => warden[change](call),
  };
  const calls = new CallsHere({
    ...{ pool, executor, name, maxWorkerDeaths: settings.maxWorkerDeaths },
    leaves: HELD.leaves,
    slots: (label) => settings.labels[label]?.perWorker ?? USUAL_PER_WORKER,
    perform: async (call, request, stop) =>
      performCall(place, await planOf(machines, call.run_id), { call, request, signal: stop }),
  });
  const poolOfTurns = closingPool(pool);
  const turns = {
    machines: { ...machines, pool: poolOfTurns },
    ...{ site, dist, executor, version, pollMs, onProblem: options.onProblem },
    ...defined({ clone }),
    onLost: (runId: string) => {
      giveUp(`another worker has taken over run \`${runId}\``);
      return new Promise<never>(() => {});
    },
  };
  let launched: Executor | undefined;
  let isClosed = false;
  const heartbeat = new Heartbeat(pool, executor, deadAfterMs);
  const claims = new Claims({ pool, executor, version });
  const beat = async (): Promise<void> => {
    try {
      if (!(await heartbeat.beat())) giveUp(GIVEN_UP);
      if (launched === undefined) return;
      await heartbeat.reap(launched, version);
      await claims.giveBackUnbegun();
    } catch (problem) {
      if (!isOutage(problem)) options.onProblem(String(problem));
    }
  };
  // V4
  const beats = setInterval(beat, beatEveryMs(deadAfterMs));
  const closeAll = (): void => {
    clearInterval(beats);
    calls.giveBack();
    // V2, V3: to its runs, what is killed here looks like a failure.
    isClosed = true;
    poolOfTurns.close();
    place.live.close();
    closing.abort();
    killAllNow();
    // The warden ends what may be left of calls that did not end by themselves.
    if (calls.running === 0) warden.dismiss();
    cache.value?.close();
  };
  const turn = async (id: string): Promise<void> => {
    try {
      await carryOutTurn(turns, id);
    } catch (problem) {
      // V2, V3
      if (problem instanceof LostRunError) giveUp(problem.message);
      if (problem instanceof LostRunError || isClosed) await new Promise(() => {});
      const reason = problem instanceof Error ? problem.message : String(problem);
      options.onProblem(reason);
      await abandonTurn(pool, { id, executor }, reason);
    }
  };
  const call = async (id: string): Promise<void> => {
    // A1 of `do-call.ts`: DBOS must not count it as done either.
    if (!(await calls.carryOut(id))) await new Promise(() => {});
  };
  const launching = launchExecutor(machines.dbos, machines.internals, {
    ...{ url: machines.url, executor, version, onProblem: options.onProblem },
    queues: [
      ...(takesRuns
        ? [
            {
              name: queueOfRuns(filesBy),
              limits: { workerConcurrency: RUNS_PER_WORKER, minPollingIntervalMs: pollMs },
            },
          ]
        : []),
      ...row.labels.map((label) => ({
        name: queueOfLabel(label, filesBy),
        limits: limitsOf(settings, label),
      })),
    ],
    turn: (id) => claims.carryOut(id, () => turn(id)),
    call: (id) => claims.carryOut(id, () => call(id)),
  });
  try {
    launched = await launching;
  } catch (problem) {
    // Otherwise it would keep reporting, and take work.
    closeAll();
    await leave(pool, executor).catch(() => {});
    throw problem;
  }
  await beat();
  const stopCancelled = (): void =>
    void calls.stopCancelled().catch((problem) => options.onProblem(String(problem)));
  const cancels = setInterval(stopCancelled, pollMs);
  const unsubscribe = machines.listener.subscribe((topic) => {
    if (topic === 'cancel') stopCancelled();
  });
  const stop = (): void => isOver({ type: 'stopped' });
  signal.addEventListener('abort', stop, { once: true });
  // It was stopped while it started.
  if (signal.aborted) stop();
  else options.onReady(executor);
  const end = await over;
  clearInterval(cancels);
  unsubscribe();
  if (end.type === 'stopped') {
    // V3: it still beats while it waits.
    await launched.close(options.drainMs);
    clearInterval(beats);
    calls.giveBack();
    await leave(pool, executor).catch((problem: unknown) => {
      // The others see that it reports no more.
      if (!isOutage(problem)) throw problem;
    });
  }
  closeAll();
  return end;
}

/** For files that travel. A worker that is being stopped waits for the hub, as for what runs: until `signal`. */
async function openFiles(
  { settings: { workspace }, name, site: { environment } }: WorkerOptions,
  given: { readonly mark: string; readonly signal: AbortSignal },
): Promise<Result<WorkerCache | undefined, Failure | Held>> {
  if (workspace?.type !== 'git') return ok(undefined);
  return openCache(workspace.hub, { name, environment, ...given });
}

function limitsOf({ labels, pollMs }: EngineSettings, label: string): QueueLimits {
  const { perWorker = USUAL_PER_WORKER, atOnce, starts } = labels[label] ?? {};
  return {
    workerConcurrency: perWorker,
    minPollingIntervalMs: pollMs,
    ...defined({ globalConcurrency: atOnce }),
    ...(starts === undefined
      ? {}
      : { rateLimit: { limitPerPeriod: starts.limit, periodSec: starts.perMs / 1000 } }),
  };
}

async function planOf({ pool }: Machines, runId: string): Promise<CallPlan> {
  const { rows } = await pool.query<{ readonly plan: string; readonly watched: Watched | null }>(
    'select plan, watched from orchestrate.runs where run_id = $1',
    [runId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`the database has no run \`${runId}\``);
  return { ...(JSON.parse(row.plan) as RunPlan), ...defined({ watched: row.watched ?? undefined }) };
}
