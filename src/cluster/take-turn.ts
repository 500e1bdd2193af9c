/** How a worker becomes the host of a run: it takes the run's turn. */
import { inTransaction, type Pool, type Rows, throughOutages } from '../engine/dbos/database.ts';
import { linesAfter } from '../engine/dbos/row-events.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import { parseTravelling, type TravellingRun } from './files/travelling.ts';
import { GIVEN_UP, isMember } from './membership.ts';
import { lockRun, parseTurnId, type Resumption, type RunRow } from './runs.ts';

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
  /** Its failed steps are tried again: a person has asked for it, and no host has started a step since. */
  readonly isAskedFor: boolean;
  readonly before?: { readonly pid: number; readonly host: string } | undefined;
}

export interface TurnTaker {
  readonly pool: Pool;
  readonly executor: string;
  /** Absolute. */
  readonly workspace: string;
}

/** T4 of `runs.ts`. Undefined if the turn has ended. */
export function takeTurn(taker: TurnTaker, id: string): Promise<TakenTurn | undefined> {
  let before: RunRow | undefined;
  return throughOutages(() =>
    inTransaction(taker.pool, async (rows) => {
      const { executor } = taker;
      if (!(await isMember(rows, executor))) throw new LostRunError(GIVEN_UP);
      const run = await lockRun(rows, parseTurnId(id).runId);
      // Its own attempt before this one, which the server did not confirm, does not hide who had the turn until then.
      if (before === undefined || run.host !== executor) before = run;
      return takeLocked(rows, taker, { id, run, before });
    }),
  );
}

async function takeLocked(
  rows: Rows,
  { executor, workspace }: TurnTaker,
  { id, run, before }: { readonly id: string; readonly run: RunRow; readonly before: RunRow },
): Promise<TakenTurn | undefined> {
  const { runId, turn: nth } = parseTurnId(id);
  if (run.turn !== nth || (run.state !== 'queued' && run.state !== 'live')) return undefined;
  const isTakenOver = before.state === 'live';
  const found = await rows.query<{
    readonly plan: string;
    readonly files: string | null;
    readonly resumption: string | null;
    readonly records: number;
    readonly pid: number | null;
    readonly machine: string | null;
  }>(
    `select plan, files, resumption, pid, machine,
         (select coalesce(max(seq), 0) from orchestrate.events where run_id = $1) as records
       from orchestrate.runs left join orchestrate.workers on executor = $2
       where run_id = $1`,
    [runId, isTakenOver ? before.host : null],
  );
  await rows.query(
    `update orchestrate.runs set state = 'live', host = $2, changed_at = now() where run_id = $1`,
    [runId, executor],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const plan = { ...(JSON.parse(row.plan) as RunPlan), workspace };
  const hasRows = row.records > 0;
  const resumption =
    row.resumption === null || !hasRows ? undefined : (JSON.parse(row.resumption) as Resumption);
  const isResumed = resumption !== undefined;
  const isAskedFor = resumption !== undefined && !(await hasStartedStep(rows, runId, resumption.records));
  return {
    plan: isResumed ? resumed(plan, resumption, isAskedFor) : hasRows ? continued(plan) : plan,
    hasRows,
    travelling: parseTravelling(row.files),
    isTakenOver: nth > 1 || isTakenOver,
    isContinued: hasRows && (!isResumed || isTakenOver),
    isResumed,
    isAskedFor,
    before: row.pid === null || row.machine === null ? undefined : { pid: row.pid, host: row.machine },
  };
}

/** More records without a start do not occur. */
const MOST_WITHOUT_START = 200;

/** A host that resumes a run may first record how the run had failed, and that it is resumed once more: until a step has started, nothing was tried again. */
async function hasStartedStep(rows: Rows, runId: string, since: number): Promise<boolean> {
  const lines = await linesAfter(rows, runId, { seq: since, most: MOST_WITHOUT_START });
  // Inside a text, the quotes would be escaped.
  return (
    lines.length === MOST_WITHOUT_START || lines.some(({ line }) => line.includes('"type":"step-started"'))
  );
}

/** Calls that an earlier host of the turn was to repeat are not repeated once more, if it came to start a step. */
function resumed(plan: RunPlan, { begin }: Resumption, isAskedFor: boolean): RunPlan {
  if (begin.type !== 'resume' || isAskedFor) return { ...plan, begin };
  const { again: _, ...rest } = begin;
  return { ...plan, begin: rest };
}

export function continued(plan: RunPlan): RunPlan {
  return { ...plan, begin: { type: 'resume' } };
}
