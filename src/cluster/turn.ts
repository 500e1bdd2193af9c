/** One turn of a run on the worker that hosts it: the program runs here, its effects that travel run on workers. */

import { HELD } from '../effects/held.ts';
import { EFFECT_PLACES } from '../effects/places.ts';
import type { RunToContinue } from '../engine/carry-run.ts';
import { inTransaction, type Pool, throughOutages } from '../engine/dbos/database.ts';
import { answerIn, answersOf } from '../engine/dbos/row-answers.ts';
import { eventsAfter } from '../engine/dbos/row-events.ts';
import { resumeRowRun, startRowRun } from '../engine/dbos/row-run.ts';
import { type Answers, isAnswered } from '../engine/journal.ts';
import type { RunEnd, RunStop } from '../engine/local-run.ts';
import type { Clone } from '../git/hub/clone.ts';
import { carryOut } from '../host/carrying/carry-out.ts';
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { EffectName } from '../model/effect.ts';
import type { RunId } from '../model/ids.ts';
import { ok } from '../model/result.ts';
import { describeProblem } from '../operations/describe-problem.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import { withNotices } from '../operations/runs/plan-notices.ts';
import type { Site } from '../operations/site.ts';
import type { TrustBook } from '../operations/trust-book.ts';
import { replaceJournal } from '../store/journal-file.ts';
import { runPaths } from '../store/layout.ts';
import { makeFolder } from '../store/make-folder.ts';
import type { Machines } from './connect.ts';
import { HostedRun } from './files/hosted-run.ts';
import { lockRun, parseTurnId } from './runs.ts';
import { continued, LostRunError, type TakenTurn, takeTurn } from './take-turn.ts';

export interface TurnSite {
  readonly machines: Machines;
  readonly site: Site;
  readonly dist: string;
  readonly executor: string;
  readonly version: string;
  readonly pollMs: number;
  /** Where files of runs come from that travel through a hub. */
  readonly clone?: Clone;
  onProblem(problem: string): void;
  /** Another host has the run. Never returns. */
  onLost(runId: string): Promise<never>;
}

export async function carryOutTurn(turn: TurnSite, id: string): Promise<void> {
  const { machines, executor, site } = turn;
  const taker = { pool: machines.pool, executor, workspace: site.workspace };
  const taken = await takeTurn(taker, id);
  if (taken === undefined) return;
  for (let next: TakenTurn | undefined = taken; next !== undefined; ) {
    const end = await carryOutOnce(turn, next);
    const isOver = await throughOutages(() => endTurn(machines.pool, { id, executor }, end));
    next = isOver
      ? undefined
      : {
          ...next,
          ...{ plan: continued(next.plan), hasRows: true, isContinued: true, isResumed: false },
          isAskedFor: false,
          ...{ isTakenOver: true, before: undefined },
        };
  }
}

async function carryOutOnce(turn: TurnSite, taken: TakenTurn): Promise<RunEnd> {
  if (taken.travelling === undefined) return carryOutIn(turn, taken);
  const { clone, executor } = turn;
  const { runId } = taken.plan;
  if (clone === undefined) throw new Error(`this worker has no hub for the files of run \`${runId}\``);
  const opened = await HostedRun.open(clone, {
    ...{ runId, travelling: taken.travelling, isTakenOver: taken.isTakenOver, host: executor },
    signal: new AbortController().signal,
    onLost: () => turn.onLost(runId),
  });
  if (opened.type === 'error') throw new Error(describeFailure(opened.error));
  const hosted = opened.value;
  const { workspace } = hosted;
  const site = { ...turn.site, workspace, trust: TRUSTED };
  if (taken.hasRows && taken.plan.hold !== undefined) await placeJournal(turn, runId, workspace);
  const end = await carryOutIn({ ...turn, site }, { ...taken, plan: { ...taken.plan, workspace } }, hosted);
  const closed = await hosted.close({ isOver: end.status !== 'waiting' });
  if (closed.type === 'error') turn.onProblem(describeFailure(closed.error));
  return end;
}

/** What a run holds is acquired before its journal is opened, and depends on how the run stands. */
async function placeJournal({ machines }: TurnSite, runId: RunId, workspace: string): Promise<void> {
  const { directory, journal } = runPaths(workspace, runId);
  const events = await throughOutages(() => eventsAfter(machines.pool, runId));
  makeFolder(directory, 0o700);
  replaceJournal(journal, events);
}

/** What the files of a run say was trusted where it was started. */
const TRUSTED: TrustBook = {
  untrusted: () => undefined,
  agree: async () => ok(undefined),
  unread: () => undefined,
};

async function carryOutIn(
  turn: TurnSite,
  { plan, hasRows, before, isContinued, isResumed, isAskedFor }: TakenTurn,
  hosted?: HostedRun,
): Promise<RunEnd> {
  const { machines, version, pollMs, executor } = turn;
  const stop = new AbortController();
  const requests = watchRequests(machines, plan.runId, pollMs, stop);
  let ended: RunEnd | undefined;
  try {
    await requests.look();
    const carried = await carryOut(withNotices(plan, turn.onProblem), {
      ...{ site: turn.site, dist: turn.dist, showsOutput: false, signal: stop.signal },
      onEvent() {},
      onProblem: turn.onProblem,
      shared: {
        ...{ isContinued, isResumed },
        answer: (key, text) => recordAnswer(machines.pool, plan.runId, { key, text }),
      },
      begin: async (host, { begin, runId, workspace, kind, title }) => {
        const owner = {
          ...{ pool: machines.pool, carrier: machines.carrier, listener: machines.listener },
          ...{ version, executor, pollMs, signal: stop.signal, tookOver: before },
          ...defined({ freight: hosted?.freight }),
          affinity: HELD,
          filesBy: hosted === undefined ? ('folder' as const) : ('git' as const),
          travels: (effect: string) => EFFECT_PLACES[effect as EffectName].place === 'worker',
        };
        // Calls on this machine belong to their own workers, which end them.
        const own = {
          ...host,
          effects: hosted?.atHome(host.effects) ?? host.effects,
          takeOver: async () => [],
          endLeftovers: async () => [],
        };
        const result =
          hasRows || begin.type !== 'new'
            ? await resumeRowRun(
                own,
                { workspace, runId, ...changeOf(begin), continuesItself: !isAskedFor },
                owner,
              )
            : await startRowRun(own, { ...begin, workspace, runId, kind, title }, owner);
        if (result.type === 'error') throw new LostRunError(`another worker has taken over run \`${runId}\``);
        ended = result.value;
        return ok(ended);
      },
    });
    if (carried.type === 'error') throw new Error(describeProblem(carried.error).message);
  } finally {
    requests.close();
  }
  if (ended === undefined) throw new Error(`run \`${plan.runId}\` has no end`);
  return ended;
}

/** A turn, and the worker that has it. */
export interface OwnTurn {
  readonly id: string;
  readonly executor: string;
}

/** T2, T3 of `runs.ts`: false if one of its questions has been answered since it looked, or something was asked of it. */
export async function endTurn(pool: Pool, { id, executor }: OwnTurn, end: RunEnd): Promise<boolean> {
  const { runId, turn } = parseTurnId(id);
  return inTransaction(pool, async (rows) => {
    const run = await lockRun(rows, runId);
    if (run.turn !== turn || run.state !== 'live') return true;
    if (run.host !== executor) throw new LostRunError(`another worker has taken over run \`${runId}\``);
    if (end.status === 'waiting') {
      const answers = new Map((await answersOf(rows, runId)).map(({ key, given }) => [key, given]));
      const find: Answers['find'] = (key, question) => answerIn(answers.get(key), question);
      const { rows: requests } = await rows.query('select from orchestrate.requests where run_id = $1', [
        runId,
      ]);
      if (requests.length > 0 || isAnswered({ find }, end.questions)) return false;
    }
    await rows.query(
      'update orchestrate.runs set state = $2, status = $3, resumption = null, changed_at = now() where run_id = $1',
      [runId, end.status === 'waiting' ? 'waiting' : 'ended', end.status],
    );
    await rows.query(`select pg_notify('orchestrate', $1)`, [`run ${runId}`]);
    return true;
  });
}

/** The turn cannot be carried out here, for a reason that is not the run's own: it can be resumed. T3: nothing changes if another worker has it. */
export async function abandonTurn(pool: Pool, { id, executor }: OwnTurn, problem: string): Promise<void> {
  const { runId, turn } = parseTurnId(id);
  await throughOutages(() =>
    pool.query(
      `with ended as (
         update orchestrate.runs set state = 'ended', status = 'interrupted', resumption = null,
           problem = $3, changed_at = now()
         where run_id = $1 and turn = $2 and (state = 'queued' or (state = 'live' and host = $4)) returning run_id
       ) select pg_notify('orchestrate', 'run ' || run_id) from ended`,
      [runId, turn, problem, executor],
    ),
  );
}

function changeOf(begin: RunPlan['begin']): Pick<RunToContinue, 'change' | 'again'> {
  return begin.type === 'resume' ? defined({ change: begin.change, again: begin.again }) : {};
}

async function recordAnswer(
  pool: Pool,
  runId: string,
  { key, text }: { readonly key: string; readonly text: string },
): Promise<void> {
  await throughOutages(() =>
    pool.query(
      'insert into orchestrate.answers (run_id, key, given) values ($1, $2, $3) on conflict do nothing',
      [runId, key, text],
    ),
  );
}

/** Cancels the run when a request for it is found. */
function watchRequests(
  { pool, listener }: Pick<Machines, 'pool' | 'listener'>,
  runId: string,
  pollMs: number,
  stop: AbortController,
): { look(): Promise<void>; close(): void } {
  const look = async (): Promise<void> => {
    const { rows } = await pool.query('select from orchestrate.requests where run_id = $1', [runId]);
    if (rows.length > 0 && !stop.signal.aborted) stop.abort({ type: 'cancelled' } satisfies RunStop);
  };
  // The next poll looks again.
  const tryToLook = (): void => void look().catch(() => {});
  const timer = setInterval(tryToLook, pollMs);
  const unsubscribe = listener.subscribe((topic, id) => {
    if (topic === 'run' && id === runId) tryToLook();
  });
  return {
    look: () => throughOutages(look),
    close: () => {
      clearInterval(timer);
      unsubscribe();
    },
  };
}
