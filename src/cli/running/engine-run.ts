/** Runs that workers carry out, as commands start, watch and change them. */
import { claimedBy, whyNotByHub } from '../../cluster/files/by-hub.ts';
import { startFiles } from '../../cluster/files/start-files.ts';
import type { TravellingRun } from '../../cluster/files/travelling.ts';
import {
  enqueueRun,
  type FollowedRun,
  followRun,
  type NewTurn,
  resumeTurn,
  type Watched,
} from '../../cluster/runs.ts';
import { type RunEnd, withOwnTasks } from '../../host/carrying/carry-out.ts';
import { takenBy } from '../../host/hold.ts';
import { onStopSignal, type StopSignal } from '../../host/stop-signals.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent, RunEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { typedCommand } from '../../model/typed-command.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared, RunKind, RunPlan } from '../../operations/run-plan.ts';
import { removeFromHub } from '../../operations/runs/hub-files.ts';
import { readRunWithEvents } from '../../operations/runs/read-run.ts';
import type { OfRuns } from '../../operations/runs/run-source.ts';
import type { Site } from '../../operations/site.ts';
import type { CliContext } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { DetachOption, OutputOptions, TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { versionOf } from '../version.ts';
import { type CarriedOut, levelFor, reporterFor, sayBefore, type Watching } from './carry-out.ts';
import { type Reached, reachMachines, usableSettings } from './machines.ts';

type Flags = OutputOptions & TrustOption & DetachOption;

/** Gives the run to the workers: a new one, or one of theirs that is resumed. */
export async function carryOutOnWorkers(
  context: CliContext,
  prepared: Prepared,
  watching: Watching & { readonly output: Flags; readonly keepsPlan?: boolean },
): Promise<CarriedOut> {
  const plan = markedPlan(prepared.plan);
  const { begin, runId } = plan;
  const site = siteOf(context);
  const onProblem = (problem: string): void => context.err(`warning: ${problem}\n`);
  const watched = watchedOf(prepared, watching.output);
  let carried: CarriedOut = { exitCode: EXIT.failed };
  const exitCode = await withMachines(context, watching.output, async ({ machines, settings }) => {
    if (begin.type === 'new') {
      const refused = await startOnWorkers({ machines, settings }, { site, plan }, (travelling) => ({
        ...{ version: versionOf(context), ...defined({ travelling, watched }) },
      }));
      if (refused !== undefined) return refuse(context, refused);
    } else {
      const isNew = await resumeTurn(machines, runId, {
        ...(watching.keepsPlan === true ? {} : { plan }),
        ...defined({ watched }),
      });
      const status = isNew ? undefined : await endOf(machines, runId);
      if (status === 'cancelled')
        return refuse(context, { type: 'run-was-cancelled', runId, runKind: plan.kind });
      if (status !== undefined) {
        context.err(`run \`${runId}\` is already completed: nothing to do\n`);
        carried = { exitCode: EXIT.done };
        return carried.exitCode;
      }
    }
    sayBefore(context, prepared);
    carried = await withOwnTasks(plan, { site, onProblem }, () =>
      watch(context, machines, { prepared: { ...prepared, plan }, watching }),
    );
    if (settings.workspace?.type !== 'git') return carried.exitCode;
    carried = { ...carried, isElsewhere: true };
    const isTold = carried.end !== undefined && plan.documents !== undefined && watched !== undefined;
    if (isTold)
      context.err(`its files are in the hub; merge them with: ${typedCommand(`pull ${runId} --merge`)}\n`);
    return carried.exitCode;
  });
  return { ...carried, exitCode };
}

async function startOnWorkers(
  { machines, settings }: Reached,
  { site, plan }: { readonly site: Site; readonly plan: RunPlan },
  sent: (travelling: TravellingRun | undefined) => NewTurn,
): Promise<Problem | undefined> {
  const { runId } = plan;
  const isByHub = settings.workspace?.type === 'git';
  const cannot = isByHub ? (whyNotByHub(plan) ?? (await claimedBy(machines, plan))) : undefined;
  if (cannot !== undefined) return cannot;
  const started = await startFiles(site, settings, plan);
  if (started.type === 'error') return started.error;
  const claimed = await enqueueRun(machines, plan, sent(started.value));
  if (claimed === undefined || settings.workspace?.type !== 'git') return undefined;
  await removeFromHub(site, { address: settings.workspace.hub, runId });
  return claimed;
}

/** As a local run shows it: what steps print is asked for, what they do is part of every display. */
function watchedOf(prepared: Prepared, flags: Flags): Watched | undefined {
  const level = levelFor(prepared, flags);
  if (flags.detach === true || level === 'quiet') return undefined;
  return level === 'verbose' ? 'output' : 'steps';
}

/** Its records say that it belongs to the workers. */
function markedPlan(plan: RunPlan): RunPlan {
  const { begin } = plan;
  const marked = (facts: JsonObject): JsonObject => ({ ...facts, engine: 'dbos' });
  if (begin.type === 'new')
    return { ...plan, onWorkers: true, begin: { ...begin, facts: marked(begin.facts) } };
  if (begin.type !== 'resume' || begin.change === undefined) return { ...plan, onWorkers: true };
  const change = { ...begin.change, facts: marked(begin.change.facts) };
  return { ...plan, onWorkers: true, begin: { ...begin, change } };
}

/** For a run that workers carried out before, also if its folder is elsewhere: it continues as it was. */
export async function resumeOnEngine(
  context: CliContext,
  { runId, ...site }: OfRuns & { readonly runId: RunId },
  flags: Flags,
): Promise<number> {
  const read = readRunWithEvents(site, runId);
  if (read.type === 'error') return refuse(context, read.error);
  const { events, started } = read.value;
  if (site.workers?.runs.has(runId) === false) return refuse(context, { type: 'not-in-database', runId });
  const kind = started.kind as RunKind;
  const plan = { runId, workspace: site.workspace, kind, title: started.title, secrets: [] } as const;
  const prepared: Prepared = { plan: { ...plan, begin: { type: 'resume' } }, earlier: events };
  const carried = await carryOutOnWorkers(context, prepared, { output: flags, keepsPlan: true });
  return carried.exitCode;
}

async function withMachines(
  context: CliContext,
  flags: TrustOption,
  work: (reached: Reached) => Promise<number>,
): Promise<number> {
  const settings = await withTrust(context, flags, () => usableSettings(siteOf(context)));
  if (settings === 'not-trusted') return EXIT.usage;
  if (settings.type === 'error') return refuse(context, settings.error);
  const reached = await reachMachines(context, settings.value);
  if (reached.type === 'error') return refuse(context, reached.error);
  try {
    return await work(reached.value);
  } finally {
    await reached.value.machines.close();
  }
}

/** Shows the run until its turn has ended. A signal detaches: the run continues. */
async function watch(
  context: CliContext,
  machines: Reached['machines'],
  {
    prepared,
    watching,
  }: { readonly prepared: Prepared; readonly watching: Watching & { readonly output: Flags } },
): Promise<CarriedOut> {
  const { plan, earlier = [] } = prepared;
  const { runId } = plan;
  const { output: flags } = watching;
  if (flags.detach === true) {
    context.out(`${runId}\n`);
    return { exitCode: EXIT.done };
  }
  const detach = new AbortController();
  let detached: StopSignal | undefined;
  const dispose = onStopSignal((signal) => {
    detached = signal;
    detach.abort();
  });
  const reporter = watching.reporter?.() ?? (await reporterFor(context, prepared, watching));
  let end: RunEnd | undefined;
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'run-started') sayHold(plan, event.input, watching);
    if (event.type === 'run-ended') {
      const { status, output, failure, signal } = event;
      end = { runId, status, ...defined({ output, failure, signal }) };
    }
    reporter.event(event);
  };
  let followed: FollowedRun | undefined;
  try {
    const after = plan.begin.type === 'new' ? 0 : earlierRecords(context, plan, earlier);
    followed = await followRun(machines, runId, { onEvent, signal: detach.signal, after });
  } finally {
    reporter.close();
    dispose();
  }
  if (detached !== undefined) {
    context.err(`Detached: run \`${runId}\` continues. Cancel it with: ${typedCommand(`cancel ${runId}`)}\n`);
    return { exitCode: EXIT.interrupted[detached] };
  }
  if (followed?.problem !== undefined) context.err(`error: ${followed.problem}\n`);
  return end === undefined ? { exitCode: EXIT.failed } : { exitCode: exitCodeOf(end), end };
}

/** What has been recorded before is not shown again. */
function earlierRecords(context: CliContext, { runId }: RunPlan, earlier: readonly JournalEvent[]): number {
  if (earlier.length > 0) return earlier.length;
  const read = readRunWithEvents(siteOf(context), runId);
  return read.type === 'ok' ? read.value.events.length : 0;
}

/** The folder of a conversation is chosen by the worker that hosts it. */
function sayHold(plan: RunPlan, input: JsonValue, { onHold }: Watching): void {
  const taken = onHold === undefined ? undefined : takenBy(plan, input);
  if (taken !== undefined) onHold?.(taken);
}

/** The status of a run that has ended for good. */
async function endOf({ pool }: Reached['machines'], runId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ readonly status: string }>(
    `select status from orchestrate.runs where run_id = $1 and state = 'ended' and status in ('completed', 'cancelled')`,
    [runId],
  );
  return rows[0]?.status;
}
