/** The workers of a workspace, for doors. Reading uses the driver alone; the rest is loaded when something is changed. */
import { join } from 'node:path';
import type { EngineSettings } from '../../model/engine-settings.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { Problem } from '../../operations/problem.ts';
import { fetchFilesOf, removeFromHub } from '../../operations/runs/hub-files.ts';
import type { Workers } from '../../operations/workers.ts';
import { userCacheFolder } from '../../store/user-cache.ts';
import { type Connecting, connect, connectToRead, type Machines, unreachable } from '../connect.ts';
import { listWorkers } from '../list-workers.ts';
import { answerRun, cancelRun, resumeTurn } from '../runs.ts';
import { readHealth } from './health.ts';
import { removeRun } from './remove-run.ts';
import { RowRuns } from './row-runs.ts';
import { readPlaces } from './run-places.ts';

export function createWorkers(
  connecting: Connecting & { readonly workspace: string },
): Result<Workers, Problem> {
  const { settings, environment, workspace } = connecting;
  const caches = userCacheFolder(environment);
  if (caches === undefined) return error({ type: 'no-cache-folder' });
  const connected = connectToRead(connecting);
  if (connected.type === 'error') return connected;
  const { pool, url } = connected.value;
  const hub = settings.workspace?.type === 'git' ? settings.workspace.hub : undefined;
  const runs = new RowRuns(pool, {
    ...{ workspace, cache: join(caches, 'runs', nameOf(url)) },
    fetchFiles: async (runId, folder) => {
      // Without them the run can still be shown; `doctor` reports a hub that does not answer.
      if (hub !== undefined)
        await fetchFilesOf({ workspace, environment }, { address: hub, runId, folder, caches });
    },
  });
  const read = <Value>(work: () => Promise<Value>): Promise<Result<Value, Problem>> =>
    orProblem(settings, work);
  let reached: Promise<Result<Machines, Problem>> | undefined;
  const change = async <Value>(
    runId: RunId,
    work: (machines: Machines) => Promise<Value>,
  ): Promise<Result<Value, Problem>> => {
    const known = await read(() => runs.refresh(runId));
    if (known.type === 'error') return known;
    if (!runs.has(runId)) return error({ type: 'not-in-database', runId });
    reached ??= connect(connecting);
    const machines = await reached;
    // The next change tries again.
    if (machines.type === 'error') reached = undefined;
    return machines.type === 'ok' ? read(() => work(machines.value)) : machines;
  };
  return ok({
    runs,
    answer: ({ runId, key, text: given }) =>
      change(runId, (machines) => answerRun(machines, { runId, key, given })),
    cancel: (runId) => change(runId, (machines) => cancelRun(machines, runId)),
    resume: (runId) => change(runId, (machines) => resumeTurn(machines, runId)),
    list: () => read(() => listWorkers(pool)),
    workersOf: (runId) => read(() => readPlaces(pool, runId)),
    health: (deadAfterMs) => read(() => readHealth(pool, deadAfterMs)),
    remove: async (runId) => {
      const removed = await change(runId, (machines) => removeRun(machines, runId));
      if (removed.type === 'error' || removed.value === 'in-use' || hub === undefined) return removed;
      const gone = await removeFromHub({ workspace, environment }, { address: hub, runId });
      return gone.type === 'ok' ? removed : error({ type: 'hub-not-cleaned', runId, reason: gone.error });
    },
    close: async () => {
      const machines = await reached;
      if (machines?.type === 'ok') await machines.value.close();
      await pool.end();
    },
  });
}

async function orProblem<Value>(
  settings: EngineSettings,
  work: () => Promise<Value>,
): Promise<Result<Value, Problem>> {
  try {
    return ok(await work());
  } catch (cause) {
    return error(unreachable(settings, cause));
  }
}

/** One folder for each database; credentials are no part of its name. */
function nameOf(url: string): string {
  let named = url;
  try {
    const { host, pathname } = new URL(url);
    named = `${host}${pathname}`;
  } catch {
    // The driver also takes other forms.
  }
  return sha256(named).slice(0, 16);
}
