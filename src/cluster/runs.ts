/**
 * What people ask of runs that workers carry out. A turn is one stay of a run with a host: it ends with the run, or when the run waits.
 *
 * T1 A run has at most one turn that is queued or live: the next begins only from `waiting` or `ended`, under the lock of the run's row.
 * T2 An answer and the turn that takes it up are one transaction. A run that is about to wait looks for answers under the same lock.
 * T3 Only its host ends a turn, and only once: an end whose commit was not confirmed, repeated by the host, changes nothing of the next turn.
 * T4 Only a living worker takes a turn (H5 of `membership.ts`).
 */
import { type Carrier, queueOfRuns } from '../engine/dbos/carrier.ts';
import { type Connection, inTransaction, throughOutages } from '../engine/dbos/database.ts';
import { progressChannel } from '../engine/dbos/live-progress.ts';
import { eventsAfter } from '../engine/dbos/row-events.ts';
import { defined } from '../model/defined.ts';
import type { RunEvent, RunStatus } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { Problem } from '../operations/problem.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Machines } from './connect.ts';
import { claimedBy } from './files/by-hub.ts';
import { filesBy, type TravellingRun } from './files/travelling.ts';
import { LiveSteps } from './live-steps.ts';

export type TurnState = 'queued' | 'live' | 'waiting' | 'ended';

/** What a command shows while it happens: what steps do, or also what they print. */
export type Watched = 'steps' | 'output';

export interface RunRow {
  readonly state: TurnState;
  readonly status: RunStatus | null;
  readonly turn: number;
  readonly version: string;
  readonly files: string | null;
  readonly host: string | null;
}

interface Site extends Pick<Machines, 'pool'> {
  readonly carrier: Carrier;
}

export function turnId(runId: string, turn: number): string {
  return `${runId}~${turn}`;
}

export function parseTurnId(id: string): { readonly runId: RunId; readonly turn: number } {
  const at = id.lastIndexOf('~');
  return { runId: id.slice(0, at) as RunId, turn: Number(id.slice(at + 1)) };
}

export interface NewTurn {
  readonly version: string;
  /** Its files are in the hub. */
  readonly travelling?: TravellingRun;
  readonly watched?: Watched;
}

/** The first number of the locks under which runs claim documents. */
const CLAIMING = 7_236_413;

/** The addresses of notifications stay here: they may hold credentials, and the host reads them from the file. Nothing is queued if another run has its documents. */
export async function enqueueRun(
  { pool, carrier }: Site,
  plan: RunPlan,
  { version, travelling, watched }: NewTurn,
): Promise<Problem | undefined> {
  const files = travelling === undefined ? null : JSON.stringify(travelling);
  // In a folder that all share, locks do this.
  const claim = travelling === undefined ? null : (plan.documents?.folder ?? null);
  return inTransaction(pool, async (rows) => {
    if (claim !== null) {
      await rows.query('select pg_advisory_xact_lock($1, hashtext($2))', [CLAIMING, claim]);
      const claimed = await claimedBy({ pool: rows }, plan);
      if (claimed !== undefined) return claimed;
    }
    await rows.query(
      `insert into orchestrate.runs (run_id, workspace, plan, version, files, claim, watched, state, turn)
       values ($1, $2, $3, $4, $5, $6, $7, 'queued', 1)`,
      [plan.runId, plan.workspace, JSON.stringify(sentOf(plan)), version, files, claim, watched ?? null],
    );
    const queue = queueOfRuns(filesBy(files));
    await carrier.enqueue(rows, { type: 'turn', id: turnId(plan.runId, 1), queue, version });
    return undefined;
  });
}

function sentOf({ notify: _, ...sent }: RunPlan): Omit<RunPlan, 'notify'> {
  return sent;
}

/** False if the question has an answer already. */
export function answerRun(
  { pool, carrier }: Site,
  { runId, key, given }: { readonly runId: string; readonly key: string; readonly given: string },
): Promise<boolean> {
  return inTransaction(pool, async (rows) => {
    const run = await lockRun(rows, runId);
    const { rowCount } = await rows.query(
      'insert into orchestrate.answers (run_id, key, given) values ($1, $2, $3) on conflict do nothing',
      [runId, key, given],
    );
    if (rowCount === 0) return false;
    if (run.state === 'waiting') await nextTurn(rows, carrier, runId, run);
    await rows.query(`select pg_notify('orchestrate', $1)`, [`answer ${runId}`]);
    return true;
  });
}

/** `over`: there is nothing to cancel. A run that waits gets a turn, for its `finally` steps. */
export function cancelRun({ pool, carrier }: Site, runId: string): Promise<'asked' | 'over'> {
  return inTransaction(pool, async (rows) => {
    const run = await lockRun(rows, runId);
    if (run.state === 'ended' && run.status !== 'interrupted') return 'over';
    await rows.query(
      `insert into orchestrate.requests (run_id, type) values ($1, 'cancel') on conflict do nothing`,
      [runId],
    );
    if (run.state === 'waiting' || run.state === 'ended') await nextTurn(rows, carrier, runId, run);
    await rows.query(`select pg_notify('orchestrate', $1)`, [`run ${runId}`]);
    return 'asked';
  });
}

/** How a person has asked for a run to be resumed. */
export interface Resumption {
  readonly begin: RunPlan['begin'];
  /** How many the journal had: what comes after them belongs to the resumption. */
  readonly records: number;
}

/** `plan` replaces that of the run. Whether a new turn begins; otherwise one is queued or live already, or the run has ended for good. */
export function resumeTurn(
  { pool, carrier }: Site,
  runId: string,
  { plan, watched }: { readonly plan?: RunPlan; readonly watched?: Watched } = {},
): Promise<boolean> {
  return inTransaction(pool, async (rows) => {
    const run = await lockRun(rows, runId);
    const isOver = run.state === 'ended' && (run.status === 'completed' || run.status === 'cancelled');
    if (run.state === 'queued' || run.state === 'live' || isOver) return false;
    await rows.query('delete from orchestrate.requests where run_id = $1', [runId]);
    const { rows: found } = await rows.query<{ readonly records: number }>(
      'select coalesce(max(seq), 0) as records from orchestrate.events where run_id = $1',
      [runId],
    );
    const resumption: Resumption = {
      begin: plan?.begin ?? { type: 'resume' },
      records: found[0]?.records ?? 0,
    };
    await rows.query('update orchestrate.runs set resumption = $2, watched = $3 where run_id = $1', [
      ...[runId, JSON.stringify(resumption), watched ?? null],
    ]);
    if (plan !== undefined) await replacePlan(rows, plan);
    await nextTurn(rows, carrier, runId, run);
    return true;
  });
}

/** It begins as it began. */
async function replacePlan(rows: Connection, plan: RunPlan): Promise<void> {
  const { rows: planned } = await rows.query<{ readonly plan: string }>(
    'select plan from orchestrate.runs where run_id = $1',
    [plan.runId],
  );
  const { begin } = JSON.parse(planned[0]?.plan ?? '{}') as RunPlan;
  const replaced = JSON.stringify({ ...sentOf(plan), begin });
  await rows.query('update orchestrate.runs set plan = $2 where run_id = $1', [plan.runId, replaced]);
}

export async function lockRun(rows: Connection, runId: string): Promise<RunRow> {
  const found = await rows.query<RunRow>(
    'select state, status, turn, version, files, host from orchestrate.runs where run_id = $1 for update',
    [runId],
  );
  const [run] = found.rows;
  if (run === undefined) throw new Error(`the database has no run \`${runId}\``);
  return run;
}

/** T1 */
async function nextTurn(
  rows: Connection,
  carrier: Site['carrier'],
  runId: string,
  run: RunRow,
): Promise<void> {
  const turn = run.turn + 1;
  await rows.query(
    `update orchestrate.runs set state = 'queued', turn = $2, problem = null, changed_at = now() where run_id = $1`,
    [runId, turn],
  );
  const { version } = run;
  const queue = queueOfRuns(filesBy(run.files));
  await carrier.enqueue(rows, { type: 'turn', id: turnId(runId, turn), queue, version });
}

const FOLLOW_MS = 300;

/** How a run stands when its turn has ended. */
export interface FollowedRun {
  readonly status?: RunStatus;
  /** Why its turn could not be carried out. */
  readonly problem?: string;
}

/** Shows the events of a run as they are recorded, and what its steps announce, until its turn has ended or the signal is aborted. Returns how it stands. */
export async function followRun(
  { pool, listener }: Pick<Machines, 'pool' | 'listener'>,
  runId: string,
  {
    onEvent,
    signal,
    after = 0,
  }: { onEvent(event: RunEvent): void; readonly signal: AbortSignal; readonly after?: number },
): Promise<FollowedRun | undefined> {
  let seen = after;
  let wake = (): void => {};
  const unsubscribe = listener.subscribe((_, id) => {
    if (id === runId) wake();
  });
  const live = new LiveSteps(onEvent);
  const ignore = listener.hear(progressChannel(runId), (said) => {
    if (!live.hear(said)) wake();
  });
  try {
    while (!signal.aborted) {
      // First its state: events that come in between belong to the turn that was seen.
      const { rows } = await throughOutages(
        () =>
          pool.query<{
            readonly state: TurnState;
            readonly status: RunStatus | null;
            readonly problem: string | null;
          }>('select state, status, problem from orchestrate.runs where run_id = $1', [runId]),
        signal,
      );
      const events = await throughOutages(() => eventsAfter(pool, runId, seen), signal);
      for (const event of events) live.record(event);
      seen += events.length;
      const [run] = rows;
      if (run === undefined) return undefined;
      if (run.state === 'waiting' || run.state === 'ended')
        return defined({ status: run.status ?? undefined, problem: run.problem ?? undefined });
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', go);
          resolve();
        };
        const timer = setTimeout(go, FOLLOW_MS);
        wake = go;
        signal.addEventListener('abort', go, { once: true });
      });
    }
    return undefined;
  } catch (problem) {
    if (signal.aborted) return undefined;
    throw problem;
  } finally {
    unsubscribe();
    ignore();
  }
}
