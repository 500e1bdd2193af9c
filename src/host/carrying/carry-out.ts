/** A plan, carried out in this process: the parts are composed, events go to the log and the listeners, a stop comes by the signal. */
import fs from 'node:fs';
import type { EffectMap } from '../../effects/contracts.ts';
import {
  type ResumeProblem,
  type RunEnd,
  type RunHost,
  resumeRun,
  startRun,
} from '../../engine/local-run.ts';
import type { RunEvent } from '../../model/event.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { CarryOutProblem, Refused } from '../../operations/problem.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import { valuesToMask } from '../../process/environment.ts';
import { createLogFile } from '../../report/log-file.ts';
import { runPaths } from '../../store/layout.ts';
import { openPlainTo } from '../../store/plain-file.ts';
import { composeHost } from '../compose.ts';
import type { Hold, TakenHold } from '../hold.ts';
import { takeHold } from './take-hold.ts';

export type { RunEnd } from '../../engine/local-run.ts';
export { TIDY_UP_MS } from '../../engine/run-stop.ts';

export interface CarryOut {
  readonly site: Site;
  /** Where the built helper programs lie. */
  readonly dist: string;
  /** Somebody watches what the steps print. */
  readonly showsOutput: boolean;
  /** What the run holds besides its own lock is taken, and nothing has begun. */
  onHold?(taken: TakenHold): void;
  /** Everything is taken, and the run is about to begin. */
  onReady?(): Promise<void>;
  onEvent(event: RunEvent): void;
  /** What does not stop the run, in a sentence. */
  onProblem(problem: string): void;
  /** Its reason is a `RunStop`. */
  readonly signal: AbortSignal;
}

export async function carryOut(
  plan: RunPlan,
  by: CarryOut,
): Promise<Result<RunEnd, CarryOutProblem | Refused>> {
  if (plan.hold === undefined) return carryOutAlone(plan, by);
  const taken = await takeHold(plan, plan.hold, by);
  if (taken.type === 'error') {
    // A run that is over is tidied up whoever has what it held.
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
  const host = composeHost({
    dist: by.dist,
    showsOutput: by.showsOutput,
    secrets: [
      ...valuesToMask(by.site.environment as { readonly [name: string]: string }, plan.secrets),
      ...(hold?.secrets ?? []),
    ],
    ...(cassette === undefined ? {} : { cassette }),
    onEvent: (event) => {
      log.event(event);
      hold?.event?.(event);
      by.onEvent(event);
    },
  });
  try {
    const ended = await withOwnTasks(plan, by, () => begin(host, plan, by.signal));
    return ended.type === 'ok' ? ended : error(problemOf(plan, ended.error));
  } finally {
    log.close();
    host.close();
  }
}

/** What the planning agent adds is asked for by the user. */
async function withOwnTasks<Value>(
  { addsTasksTo }: RunPlan,
  { site, onProblem }: CarryOut,
  run: () => Promise<Value>,
): Promise<Value> {
  if (addsTasksTo === undefined) return run();
  const { trustAdded } = await import('../../operations/sessions/trust-tasks.ts');
  const { value, problem } = await trustAdded(site, addsTasksTo, run);
  if (problem !== undefined) onProblem(`you will be asked about this setting: ${problem}`);
  return value;
}

async function begin(
  host: RunHost<EffectMap>,
  { begin: beginning, workspace, runId, kind, title }: RunPlan,
  signal: AbortSignal,
): Promise<Result<RunEnd, ResumeProblem>> {
  switch (beginning.type) {
    case 'new': {
      const { type: _, ...run } = beginning;
      return startRun(host, { ...run, workspace, runId, kind, title }, signal);
    }
    case 'resume': {
      const { change } = beginning;
      return resumeRun(host, { workspace, runId, ...(change === undefined ? {} : { change }) }, signal);
    }
    case 'tidy': {
      const ended = await resumeRun(host, { workspace, runId }, signal);
      // Whoever holds it is doing it.
      return ended.type === 'error' && ended.error.type === 'held'
        ? ok({ runId, status: 'completed' })
        : ended;
    }
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
