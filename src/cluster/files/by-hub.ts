/** Whether the files of a run can travel through a hub, and whether another run works on the same documents already. */
import { isAbsolute } from 'node:path';
import type { Rows } from '../../engine/dbos/database.ts';
import type { RunId } from '../../model/ids.ts';
import type { Problem } from '../../operations/problem.ts';
import type { RunPlan } from '../../operations/run-plan.ts';

export function whyNotByHub({ onlyHere, documents }: RunPlan): Problem | undefined {
  if (onlyHere !== undefined) return { type: 'not-with-hub', what: onlyHere };
  const folder = documents?.folder ?? '';
  return isAbsolute(folder) ? { type: 'outside-hub', folder } : undefined;
}

/** The run that has them, if it is not finished: it is resumed or cancelled first. */
export async function claimedBy(
  { pool }: { readonly pool: Pick<Rows, 'query'> },
  { documents }: RunPlan,
): Promise<Problem | undefined> {
  if (documents === undefined) return undefined;
  const { folder } = documents;
  const { rows } = await pool.query<{ readonly run_id: string; readonly is_going_on: boolean }>(
    `select run_id, state in ('queued', 'live') as is_going_on from orchestrate.runs
     where claim = $1 and (state <> 'ended' or status = 'interrupted') order by created_at desc limit 1`,
    [folder],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const runId = row.run_id as RunId;
  return { type: 'claimed-by-run', folder, runId, isAlive: row.is_going_on };
}
