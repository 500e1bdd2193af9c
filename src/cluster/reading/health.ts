/** Who is there, and which work nobody can take. Times are compared by the clock of the database. */
import type { FilesBy } from '../../engine/dbos/carrier.ts';
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

/** How the machines of the run `r` share its files, and whether the worker `w` gets them in this way: it takes no others. */
const FILES = `case when r.files is null then 'folder' else 'git' end`;
const HAS_FILES = `w.files_by = ${FILES}`;

/** What is missing, if another worker would do but for how it gets files. */
function missing(hasOther: boolean, filesBy: FilesBy): { readonly missing?: 'folder' | 'hub' } {
  return hasOther ? { missing: filesBy === 'git' ? 'hub' : 'folder' } : {};
}

/** Runs that only a worker of another version, one with other files, or no worker could host. */
async function withoutHost(rows: Rows, deadAfterMs: number): Promise<readonly StuckRun[]> {
  const takes = `from orchestrate.workers w where ${ALIVE} and takes_runs and w.version = r.version`;
  const found = await rows.query<{
    readonly run_id: string;
    readonly version: string;
    readonly files_by: FilesBy;
    readonly has_other: boolean;
  }>(
    `select run_id, version, ${FILES} as files_by, exists (select ${takes}) as has_other
     from orchestrate.runs r where state in ('queued', 'live') and not exists (select ${takes} and ${HAS_FILES})
     order by run_id`,
    [deadAfterMs],
  );
  return found.rows.map(({ run_id: runId, version, files_by, has_other }) => ({
    ...{ type: 'no-host', runId, version, ...missing(has_other, files_by) },
  }));
}

/** Steps whose label no worker of the run's version has, or none that gets its files. */
async function withoutLabel(rows: Rows, deadAfterMs: number): Promise<readonly StuckRun[]> {
  const takes = `from orchestrate.workers w where ${ALIVE} and c.label = any (w.labels) and w.version = r.version`;
  const found = await rows.query<{
    readonly run_id: string;
    readonly version: string;
    readonly label: string;
    readonly steps: readonly string[];
    readonly files_by: FilesBy;
    readonly has_other: boolean;
  }>(
    `select run_id, version, label, array_agg(key order by key) as steps, ${FILES} as files_by,
       bool_or(exists (select ${takes})) as has_other
     from orchestrate.calls c join orchestrate.runs r using (run_id)
     where ended_at is null and not exists (select ${takes} and ${HAS_FILES})
     group by run_id, version, label, files order by run_id, label`,
    [deadAfterMs],
  );
  return found.rows.map(({ run_id: runId, version, label, steps, files_by, has_other }) => ({
    ...{ type: 'no-label', runId, version, label, steps, ...missing(has_other, files_by) },
  }));
}
