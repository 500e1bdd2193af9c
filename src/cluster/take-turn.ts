/** How a worker becomes the host of a run: it takes the run's turn. */
import { inTransaction, type Pool } from '../engine/dbos/database.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import { parseTravelling, type TravellingRun } from './files/travelling.ts';
import { GIVEN_UP, isMember } from './membership.ts';
import { lockRun, parseTurnId } from './runs.ts';

/** Another worker has the run: this one must stop. */
export class LostRunError extends Error {
  override readonly name = 'LostRunError';
}

export interface TakenTurn {
  readonly plan: RunPlan;
  readonly hasRows: boolean;
  readonly travelling?: TravellingRun | undefined;
  /** Another host may have had it before. */
  readonly isTakenOver: boolean;
  /** It continues by itself, and a person has asked for it: see `SharedRun`. */
  readonly isContinued: boolean;
  readonly isResumed: boolean;
  readonly before?: { readonly pid: number; readonly host: string } | undefined;
}

export interface TurnTaker {
  readonly pool: Pool;
  readonly executor: string;
  /** Absolute. */
  readonly workspace: string;
}

/** T4 of `runs.ts`. Undefined if the turn is over. */
export async function takeTurn(
  { pool, executor, workspace }: TurnTaker,
  id: string,
): Promise<TakenTurn | undefined> {
  const { runId, turn: nth } = parseTurnId(id);
  return inTransaction(pool, async (rows) => {
    if (!(await isMember(rows, executor))) throw new LostRunError(GIVEN_UP);
    const run = await lockRun(rows, runId);
    if (run.turn !== nth || (run.state !== 'queued' && run.state !== 'live')) return undefined;
    const isTakenOver = run.state === 'live';
    const found = await rows.query<{
      readonly plan: string;
      readonly files: string | null;
      readonly resumption: string | null;
      readonly has_rows: boolean;
      readonly pid: number | null;
      readonly machine: string | null;
    }>(
      `select plan, files, resumption, exists (select from orchestrate.events where run_id = $1) as has_rows, pid, machine
       from orchestrate.runs left join orchestrate.workers on executor = host and $2
       where run_id = $1`,
      [runId, isTakenOver],
    );
    await rows.query(
      `update orchestrate.runs set state = 'live', host = $2, changed_at = now() where run_id = $1`,
      [runId, executor],
    );
    const [row] = found.rows;
    if (row === undefined) return undefined;
    const plan = { ...(JSON.parse(row.plan) as RunPlan), workspace };
    const isResumed = row.resumption !== null && row.has_rows;
    const resumed = (): RunPlan => ({
      ...plan,
      begin: JSON.parse(row.resumption ?? '{}') as RunPlan['begin'],
    });
    return {
      plan: isResumed ? resumed() : row.has_rows ? continued(plan) : plan,
      hasRows: row.has_rows,
      travelling: parseTravelling(row.files),
      isTakenOver: nth > 1 || isTakenOver,
      isContinued: row.has_rows && (!isResumed || isTakenOver),
      isResumed,
      before: row.pid === null || row.machine === null ? undefined : { pid: row.pid, host: row.machine },
    };
  });
}

export function continued(plan: RunPlan): RunPlan {
  return { ...plan, begin: { type: 'resume' } };
}
