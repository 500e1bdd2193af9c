/** Who is there, and which work nobody can take. Times are compared by the clock of the database. */
import type { Rows } from '../../engine/dbos/database.ts';
import type { StuckRun, WorkersHealth } from '../../operations/workers.ts';
import { listWorkers } from '../list-workers.ts';

const ALIVE = `dead_at is null and beat_at > now() - $1 * interval '1 millisecond'`;

export async function readHealth(rows: Rows, deadAfterMs: number): Promise<WorkersHealth> {
  const { rows: versions } = await rows.query<{ readonly server_version: string }>('show server_version');
  const listed = await listWorkers(rows);
  const isStale = ({ beat_age_ms }: { readonly beat_age_ms: number }): boolean => beat_age_ms >= deadAfterMs;
  return {
    serverVersion: versions[0]?.server_version ?? 'unknown',
    alive: listed.filter((worker) => !isStale(worker)),
    stale: listed.filter(isStale),
    stuck: [...(await withoutHost(rows, deadAfterMs)), ...(await withoutLabel(rows, deadAfterMs))],
  };
}

/** Runs that only a worker of another version, or no worker, could host. */
async function withoutHost(rows: Rows, deadAfterMs: number): Promise<readonly StuckRun[]> {
  const found = await rows.query<{ readonly run_id: string; readonly version: string }>(
    `select run_id, version from orchestrate.runs r where state in ('queued', 'live') and not exists (
       select from orchestrate.workers w where ${ALIVE} and takes_runs and w.version = r.version
     ) order by run_id`,
    [deadAfterMs],
  );
  return found.rows.map(({ run_id: runId, version }) => ({ type: 'no-host', runId, version }));
}

/** Steps whose label no worker of the run's version has. */
async function withoutLabel(rows: Rows, deadAfterMs: number): Promise<readonly StuckRun[]> {
  const found = await rows.query<{
    readonly run_id: string;
    readonly version: string;
    readonly label: string;
    readonly steps: readonly string[];
  }>(
    `select run_id, version, label, array_agg(key order by key) as steps
     from orchestrate.calls c join orchestrate.runs r using (run_id)
     where ended_at is null and not exists (
       select from orchestrate.workers w where ${ALIVE} and c.label = any (w.labels) and w.version = r.version
     ) group by run_id, version, label order by run_id, label`,
    [deadAfterMs],
  );
  return found.rows.map(({ run_id: runId, version, label, steps }) => ({
    ...{ type: 'no-label', runId, version, label, steps },
  }));
}
