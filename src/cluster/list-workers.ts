import type { Rows } from '../engine/dbos/database.ts';
import type { ListedWorker } from '../operations/workers.ts';

export async function listWorkers(rows: Rows): Promise<readonly ListedWorker[]> {
  const found = await rows.query<
    Omit<ListedWorker, 'started_at' | 'last_beat_at'> & {
      readonly started_at: Date;
      readonly last_beat_at: Date;
    }
  >(
    `select name, executor, machine, pid, version, labels, takes_runs, started_at, beat_at as last_beat_at,
       floor(extract(epoch from now() - beat_at) * 1000)::float8 as beat_age_ms,
       array(select run_id from orchestrate.runs where host = executor and state = 'live' order by run_id) as runs,
       array(select call_id from orchestrate.calls c where c.executor = w.executor and ended_at is null order by call_id) as calls
     from orchestrate.workers w where dead_at is null order by name`,
  );
  return found.rows.map((worker) => ({
    ...worker,
    started_at: worker.started_at.toISOString(),
    last_beat_at: worker.last_beat_at.toISOString(),
  }));
}
