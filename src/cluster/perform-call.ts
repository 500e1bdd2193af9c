/**
 * Carries out one call on this worker, with this worker's environment and secrets: in this worker's workspace or, if the files of the run travel,
 * in a checkout of the call.
 */
import type { CallRequest } from '../engine/dbos/call-request.ts';
import type { CallRow, Performed } from '../engine/dbos/do-call.ts';
import type { LiveProgress } from '../engine/dbos/live-progress.ts';
import type { Effect, RunSite } from '../engine/durable.ts';
import type { Clone } from '../git/hub/clone.ts';
import { type ComposedHost, composeHost } from '../host/compose.ts';
import { crc32 } from '../model/crc32.ts';
import { defined } from '../model/defined.ts';
import type { Progress } from '../model/event.ts';
import { type RunId, type StepKey, sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import { error, ok } from '../model/result.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';
import { valuesToMask } from '../process/environment.ts';
import { endMarkedProcesses } from '../process/terminate-tree.ts';
import { runPaths } from '../store/layout.ts';
import { callFilesIn } from './files/travelling.ts';
import { type CallPlaces, performTravelling, type TravellingCall } from './files/travelling-call.ts';
import type { Watched } from './runs.ts';

const LEFTOVER_GRACE_MS = 5000;

export interface CallPlace {
  readonly site: Site;
  readonly dist: string;
  /** This worker. */
  readonly executor: string;
  /** Where files of calls come from that travel through a hub. */
  readonly clone?: Clone;
  readonly live: LiveProgress;
  /** Told before anything of the call starts, and when nothing of it runs any more. */
  onMark(change: 'begins' | 'ends', mark: string): void;
}

/** What a worker needs to know of the run. */
export interface CallPlan extends Pick<RunPlan, 'secrets' | 'cassette'> {
  readonly watched?: Watched;
}

export interface CallToPerform {
  readonly call: CallRow;
  readonly request: CallRequest;
  readonly signal: AbortSignal;
}

/** Nothing that it started runs when it resolves. No value of a secret is in what it returns or throws. */
export async function performCall(
  place: CallPlace,
  plan: CallPlan,
  asked: CallToPerform,
): Promise<Performed> {
  const { site, dist } = place;
  const { workspace, environment } = site;
  const mark = markOf(asked.call, workspace);
  const host = composeHost({
    site,
    dist,
    showsOutput: plan.watched === 'output',
    secrets: valuesToMask(environment as { readonly [name: string]: string }, plan.secrets),
    onEvent() {},
    ...defined({ cassette: plan.cassette }),
  });
  const redact = <Value>(value: Value): Value => (host.redact?.(value as JsonValue) ?? value) as Value;
  place.onMark('begins', mark);
  try {
    await endEarlierStarts(asked.call, workspace);
    const { run_id: runId } = asked.call;
    const { key, attempt } = asked.request;
    const emit = (progress: Progress): void => {
      if (plan.watched !== undefined) place.live.announce({ runId, key, attempt }, progress, redact);
    };
    const performed = await inItsFolder(place, asked, { host, mark, emit });
    return { ...performed, output: redact(performed.output) };
  } catch (problem) {
    if (problem instanceof Error) problem.stack = redact(problem.stack ?? problem.message);
    throw problem;
  } finally {
    place.live.flush();
    await endMarkedProcesses(mark, { graceMs: LEFTOVER_GRACE_MS });
    host.close();
    place.onMark('ends', mark);
  }
}

interface Doing {
  readonly host: ComposedHost;
  readonly mark: string;
  emit(progress: Progress): void;
}

async function inItsFolder(place: CallPlace, asked: CallToPerform, doing: Doing): Promise<Performed> {
  const { call, request, signal } = asked;
  const { mark } = doing;
  const runId = call.run_id as RunId;
  const files = callFilesIn(request.freight);
  if (files === undefined) {
    const { workspace } = place.site;
    const run = siteOf(runId, workspace, { mark, ...defined({ folder: request.folder }) });
    return { output: await runEffect(asked, doing, run) };
  }
  const { clone, executor } = place;
  if (clone === undefined) throw new Error(`this worker has no hub for the files of run \`${runId}\``);
  return performTravelling(clone, {
    ...{ row: call, files, executor, signal },
    setup: (argv, at) => runSetup(argv, asked, { ...doing, at }),
    perform: async ({ workspace, directory }) => {
      const output = await runEffect(asked, doing, { runId, directory, workspace, mark });
      // What it left in the background would change files that are being committed.
      await endMarkedProcesses(mark, { graceMs: LEFTOVER_GRACE_MS });
      return output;
    },
  });
}

async function runEffect(
  { call: { partedFrom }, request, signal }: CallToPerform,
  { host, emit }: Doing,
  run: RunSite,
): Promise<EffectOutput> {
  const { key, attempt, effect, input, timeLeftMs, elapsedMs, asked } = request;
  const effects = host.effects as unknown as { readonly [name: string]: Effect<JsonValue, EffectOutput> };
  const known = effects[effect];
  if (known === undefined) throw new Error(`unknown effect \`${effect}\``);
  return known(input, {
    ...{ key: key as StepKey, attempt, signal, run },
    ...defined({ timeLeftMs, elapsedMs, asked, partedFrom }),
    emit,
    processStarted() {},
  });
}

/** Its logs are those of a side step of the call that needed it first. */
async function runSetup(
  argv: readonly string[],
  { call, request, signal }: CallToPerform,
  { host, mark, at }: Doing & { readonly at: CallPlaces },
): ReturnType<TravellingCall['setup']> {
  const key = sideKey(request.key as StepKey, 'setup');
  const { failure, stderrTail } = await host.effects['run-command'](
    { argv, capture: 'text' },
    {
      ...{ key, attempt: request.attempt, signal },
      run: { runId: call.run_id, ...at, mark },
      emit() {},
      processStarted() {},
    },
  );
  if (failure === undefined) return ok(undefined);
  if (failure.type !== 'exit-code') return error(failure);
  const [last = ''] = (stderrTail ?? '').trim().split('\n').slice(-1);
  const message = `\`setup\` (${argv.join(' ')}) failed with exit code ${failure.exitCode}${last === '' ? '' : `: ${last}`}`;
  return error({ type: 'invalid-output', reason: 'invalid', message });
}

/** Each start of a call has its own: a worker that was given up ends what it started itself, and nothing of its successor on the same machine. */
function markOf({ call_id, starts }: CallRow, workspace: string): string {
  return `${call_id}.${starts}:${crc32(workspace).toString(16)}`.replaceAll(',', '');
}

/** What workers of this machine that were given up have left running of the call. */
async function endEarlierStarts(call: CallRow, workspace: string): Promise<void> {
  for (let starts = 1; starts < call.starts; starts += 1)
    await endMarkedProcesses(markOf({ ...call, starts }, workspace), { graceMs: LEFTOVER_GRACE_MS });
}

function siteOf(
  runId: RunId,
  workspace: string,
  { mark, folder }: { readonly mark: string; readonly folder?: string },
): RunSite {
  const { directory } = runPaths(workspace, runId);
  return folder === undefined
    ? { runId, directory, workspace, mark }
    : { runId, directory, workspace: `${directory}/${folder}`, home: workspace, mark };
}
