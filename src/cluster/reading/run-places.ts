import type { Rows } from '../../engine/dbos/database.ts';
import { defined } from '../../model/defined.ts';
import type { RunPlaces } from '../../operations/workers.ts';

/** By the names of workers, which outlive their processes. */
export async function readPlaces(rows: Rows, runId: string): Promise<RunPlaces> {
  const hosts = await rows.query<{ readonly name: string }>(
    'select name from orchestrate.runs join orchestrate.workers on executor = host where run_id = $1',
    [runId],
  );
  const calls = await rows.query<{ readonly key: string; readonly name: string }>(
    `select key, name from orchestrate.calls join orchestrate.workers using (executor)
     where run_id = $1 order by calls.created_at`,
    [runId],
  );
  const host = hosts.rows[0]?.name;
  return { ...defined({ host }), steps: Object.fromEntries(calls.rows.map(({ key, name }) => [key, name])) };
}
