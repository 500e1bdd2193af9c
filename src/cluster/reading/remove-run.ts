import { inTransaction } from '../../engine/dbos/database.ts';
import type { RunRemoval } from '../../operations/workers.ts';
import type { Machines } from '../connect.ts';
import { lockRun, turnId } from '../runs.ts';

/**
 * Removes the rows of a run, then what DBOS knows of its turns and calls. A run that is queued, or that a worker has, is kept. If this is interrupted
 * in between, DBOS keeps some finished workflows that nobody refers to.
 */
export async function removeRun(
  { pool, carrier }: Pick<Machines, 'pool' | 'carrier'>,
  runId: string,
): Promise<RunRemoval> {
  const removed = await inTransaction(pool, async (rows) => {
    const run = await lockRun(rows, runId);
    if (run.state === 'queued' || run.state === 'live') return undefined;
    const calls = await rows.query<{ readonly call_id: string }>(
      'select call_id from orchestrate.calls where run_id = $1',
      [runId],
    );
    // The other tables follow.
    await rows.query('delete from orchestrate.runs where run_id = $1', [runId]);
    const turns = Array.from({ length: run.turn }, (_, index) => turnId(runId, index + 1));
    return [...turns, ...calls.rows.map(({ call_id }) => call_id)];
  });
  if (removed === undefined) return 'in-use';
  for (let at = 0; at < removed.length; at += AT_ONCE) await carrier.forget(removed.slice(at, at + AT_ONCE));
  return 'removed';
}

const AT_ONCE = 1000;
