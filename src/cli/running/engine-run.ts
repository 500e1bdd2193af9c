/** Runs that workers carry out, as commands start, watch and change them. */
import { startFiles } from '../../cluster/files/start-files.ts';
import { enqueueRun, followRun, resumeTurn } from '../../cluster/runs.ts';
import type { RunEnd } from '../../host/carrying/carry-out.ts';
import { onStopSignal, type StopSignal } from '../../host/stop-signals.ts';
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { Result } from '../../model/result.ts';
import { typedCommand } from '../../model/typed-command.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { readRunWithEvents } from '../../operations/runs/read-run.ts';
import type { OfRuns } from '../../operations/runs/run-source.ts';
import type { CliContext } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { DetachOption, OutputOptions, TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { versionOf } from '../version.ts';
import { reporterFor, sayBefore } from './carry-out.ts';
import { type Reached, reachMachines, usableSettings } from './machines.ts';

type Flags = OutputOptions & TrustOption & DetachOption;

/** Prepares the run here, and gives it to the workers. */
export async function runOnEngine(
  context: CliContext,
  prepare: () => Result<Prepared, Problem> | Promise<Result<Prepared, Problem>>,
  flags: Flags,
): Promise<number> {
  const prepared = await withTrust(context, flags, prepare);
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return refuse(context, prepared.error);
  const { plan } = prepared.value;
  const { begin } = plan;
  if (begin.type !== 'new' || begin.program !== 'workflow')
    return refuse(context, { type: 'not-for-workers' });
  const marked = { ...plan, begin: { ...begin, facts: { ...begin.facts, engine: 'dbos' } } };
  return withMachines(context, flags, async ({ machines, settings }) => {
    const started = await startFiles(siteOf(context), settings, plan.runId);
    if (started.type === 'error') return refuse(context, started.error);
    const travelling = started.value;
    await enqueueRun(machines, marked, { version: versionOf(context), ...defined({ travelling }) });
    sayBefore(context, prepared.value);
    return watch(context, machines, { prepared: prepared.value, flags, after: 0 });
  });
}

/** For a run that workers carried out before. */
export async function resumeOnEngine(
  context: CliContext,
  { runId, ...site }: OfRuns & { readonly runId: RunId },
  flags: Flags,
): Promise<number> {
  const read = readRunWithEvents(site, runId);
  if (read.type === 'error') return refuse(context, read.error);
  const { events, started, state } = read.value;
  if (site.workers?.runs.has(runId) === false) return refuse(context, { type: 'not-in-database', runId });
  return withMachines(context, flags, async ({ machines }) => {
    const isNew = await resumeTurn(machines, runId);
    if (!isNew && (state.status === 'completed' || state.status === 'cancelled')) {
      context.err(`run \`${runId}\` has already ended (${state.status}): nothing to do\n`);
      return EXIT.done;
    }
    const { workspace } = site;
    const plan = { runId, workspace, kind: 'workflow', title: started.title, secrets: [] } as const;
    const prepared: Prepared = { plan: { ...plan, begin: { type: 'resume' } }, earlier: events };
    return watch(context, machines, { prepared, flags, after: events.length });
  });
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

/** Shows the run until its turn is over. A signal detaches: the run continues. */
async function watch(
  context: CliContext,
  machines: Reached['machines'],
  { prepared, flags, after }: { readonly prepared: Prepared; readonly flags: Flags; readonly after: number },
): Promise<number> {
  const { runId } = prepared.plan;
  if (flags.detach === true) {
    context.out(`${runId}\n`);
    return EXIT.done;
  }
  const detach = new AbortController();
  let detached: StopSignal | undefined;
  const dispose = onStopSignal((signal) => {
    detached = signal;
    detach.abort();
  });
  const reporter = await reporterFor(context, prepared, { output: flags });
  let end: RunEnd | undefined;
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'run-ended') {
      const { status, output, failure, signal } = event;
      end = { runId, status, ...defined({ output, failure, signal }) };
    }
    reporter.event(event);
  };
  try {
    await followRun(machines, runId, { onEvent, signal: detach.signal, after });
  } finally {
    reporter.close();
    dispose();
  }
  if (detached !== undefined) {
    context.err(`Detached: run \`${runId}\` continues. Cancel it with: ${typedCommand(`cancel ${runId}`)}\n`);
    return EXIT.interrupted[detached];
  }
  return end === undefined ? EXIT.failed : exitCodeOf(end);
}
