/** Carries out a plan in this process. Events go to the log and the listeners; the signal stops it. */
import fs from 'node:fs';
import type { EffectMap } from '../../effects/contracts.ts';
import {
  type ResumeProblem,
  type RunEnd,
  type RunHost,
  resumeRun,
  startRun,
} from '../../engine/local-run.ts';
import type { RunHistory } from '../../engine/run-history.ts';
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { tracesEndpoint } from '../../model/trace-ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { hasConfig } from '../../operations/config/places.ts';
import type { CarryOutProblem, Problem } from '../../operations/problem.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import { valuesToMask } from '../../process/environment.ts';
import { createLogFile } from '../../report/log-file.ts';
import { runPaths } from '../../store/layout.ts';
import { openPlainTo } from '../../store/plain-file.ts';
import { composeHost, type HostRehearsal } from '../compose.ts';
import type { Hold, SharedRun, TakenHold } from '../hold.ts';
import type { FoundNotices } from '../notices/notices-for.ts';
import { takeHold } from './take-hold.ts';

export type { RunEnd } from '../../engine/local-run.ts';
export { TIDY_UP_MS } from '../../engine/run-stop.ts';

export interface CarryOut {
  readonly site: Site;
  /** The journal of a resumed run, as it was read to plan this. */
  readonly history?: RunHistory;
  /** Folder of the built helper programs. */
  readonly dist: string;
  /** The output of steps is shown live. */
  readonly showsOutput: boolean;
  /** Called when what the run holds besides its own lock is acquired, before anything starts. */
  onHold?(taken: TakenHold): void;
  /** Called when everything is acquired and the run is about to start. */
  onReady?(): Promise<void>;
  onEvent(event: RunEvent): void;
  /** Reports a problem that does not stop the run, as a sentence. */
  onProblem(problem: string): void;
  /** To test a workflow: what stands in for the world. */
  readonly rehearsal?: HostRehearsal;
  /** Set together with `begin`. */
  readonly shared?: SharedRun;
  /** Carries it out over another journal than a file of this machine. */
  begin?(host: RunHost<EffectMap>, plan: RunPlan): Promise<Result<RunEnd, ResumeProblem>>;
  /** Its reason is a `RunStop`. */
  readonly signal: AbortSignal;
}

export async function carryOut(plan: RunPlan, by: CarryOut): Promise<Result<RunEnd, Problem>> {
  if (plan.onWorkers === true && by.shared === undefined)
    return error({ type: 'run-of-workers', runId: plan.runId });
  if (plan.hold === undefined) return carryOutAlone(plan, by);
  const taken = await takeHold(plan, plan.hold, by);
  if (taken.type === 'error') {
    // Clean up after an ended run even if another process holds its workspace.
    return plan.begin.type === 'tidy' ? carryOutAlone(plan, by) : taken;
  }
  const hold = taken.value;
  try {
    if (hold.taken !== undefined) by.onHold?.(hold.taken);
    const ended = await carryOutAlone(hold.plan, by, hold);
    if (ended.type === 'ok') await hold.ended?.(ended.value);
    return ended;
  } finally {
    await hold.release();
  }
}

async function carryOutAlone(
  plan: RunPlan,
  by: CarryOut,
  hold?: Hold,
): Promise<Result<RunEnd, CarryOutProblem>> {
  await by.onReady?.();
  const { runId, workspace, title, cassette } = plan;
  const paths = runPaths(workspace, runId);
  const log = createLogFile({
    path: paths.orchestratorLog,
    open: () => openPlainTo(paths.orchestratorLog, { to: 'append' }),
    run: { runId, title: plan.begin.type === 'new' ? '' : title },
    onProblem: by.onProblem,
  });
  const { notices, secrets } = await findNotices(plan, by, hold);
  const masked = [
    ...valuesToMask(by.site.environment as { readonly [name: string]: string }, plan.secrets),
    ...(hold?.secrets ?? []),
    ...secrets,
  ];
  const host = composeHost({
    site: by.site,
    dist: by.dist,
    showsOutput: by.showsOutput,
    secrets: masked,
    ...defined({ cassette, rehearsal: by.rehearsal }),
    onEvent: (event) => {
      log.event(event);
      hold?.event?.(event);
      notices?.event(event);
      by.onEvent(event);
    },
  });
  try {
    const ended = await withOwnTasks(plan, by, () => by.begin?.(host, plan) ?? begin(host, plan, by));
    return ended.type === 'ok' ? ended : error(problemOf(plan, ended.error));
  } finally {
    await notices?.close();
    log.close();
    host.close();
    await trace(plan, by, masked);
  }
}

/** Nothing is loaded for it without a collector. A trial is not traced. */
async function trace(
  plan: RunPlan,
  { site, onProblem }: CarryOut,
  secrets: readonly string[],
): Promise<void> {
  const { type } = plan.begin;
  if (tracesEndpoint(site.environment) === undefined || isTrial(plan)) return;
  if (type === 'tidy' || type === 'notify') return;
  const { sendTrace } = await import('../send-trace.ts');
  await sendTrace({ site, runId: plan.runId, secrets, onProblem });
}

/** Nothing is loaded for them if nothing is set. A trial is no news. */
async function findNotices(plan: RunPlan, by: CarryOut, hold: Hold | undefined): Promise<FoundNotices> {
  const isSet = (plan.notify?.length ?? 0) > 0 || hasConfig(by.site);
  if (!isSet || hold?.isTrial === true || isTrial(plan)) return { secrets: [] };
  const { noticesFor } = await import('../notices/notices-for.ts');
  const state = by.history?.fold.state;
  return noticesFor(plan, {
    site: by.site,
    except: hold?.notifies,
    onProblem: by.onProblem,
    ...(state === undefined ? {} : { state: () => state }),
  });
}

function isTrial({ begin: { type, ...begin } }: RunPlan): boolean {
  return type === 'new' && 'facts' in begin && begin.facts['trial'] !== undefined;
}

/** Tasks added by the planning agent are trusted, since the user asked for them: where that user is. */
export async function withOwnTasks<Value>(
  { addsTasksTo }: RunPlan,
  { site, onProblem, shared }: Pick<CarryOut, 'site' | 'onProblem' | 'shared'>,
  run: () => Promise<Value>,
): Promise<Value> {
  if (addsTasksTo === undefined || shared !== undefined) return run();
  const { trustAdded } = await import('../../operations/sessions/trust-tasks.ts');
  const { value, problem } = await trustAdded(site, addsTasksTo, run);
  if (problem !== undefined) onProblem(`the next run asks whether to trust this setting: ${problem}`);
  return value;
}

async function begin(
  host: RunHost<EffectMap>,
  { begin: beginning, workspace, runId, kind, title }: RunPlan,
  { history, signal }: CarryOut,
): Promise<Result<RunEnd, ResumeProblem>> {
  switch (beginning.type) {
    case 'new': {
      const { type: _, ...run } = beginning;
      return startRun(host, { ...run, workspace, runId, kind, title }, signal);
    }
    case 'resume': {
      const { change, again } = beginning;
      return resumeRun(host, { workspace, runId, ...defined({ change, again, history }) }, signal);
    }
    case 'tidy': {
      const ended = await resumeRun(host, { workspace, runId, ...defined({ history }) }, signal);
      // The process that holds it does this itself.
      return ended.type === 'error' && ended.error.type === 'held'
        ? ok({ runId, status: 'completed' })
        : ended;
    }
    case 'notify':
      return ok({ runId, status: 'completed' });
    default:
      return unreachable(beginning);
  }
}

function problemOf({ workspace, runId }: RunPlan, problem: ResumeProblem): CarryOutProblem {
  switch (problem.type) {
    case 'no-such-run':
      return { type: 'run-is-gone', runId };
    case 'held':
      return { type: 'held-run', runId, held: problem.held };
    case 'damaged':
      return { type: 'damaged-run', runId, damage: problem.damage };
    case 'cannot-write':
      return {
        type: 'cannot-write',
        runId,
        failure: problem.failure,
        isThere: fs.existsSync(runPaths(workspace, runId).journal),
      };
    default:
      return unreachable(problem);
  }
}
