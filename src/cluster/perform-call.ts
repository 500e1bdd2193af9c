/** Carries out one call on this worker: the effect runs in this worker's workspace, with this worker's environment and secrets. */
import type { CallRequest } from '../engine/dbos/call-request.ts';
import type { CallRow } from '../engine/dbos/do-call.ts';
import type { Effect, RunSite } from '../engine/durable.ts';
import { composeHost } from '../host/compose.ts';
import { crc32 } from '../model/crc32.ts';
import { defined } from '../model/defined.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';
import { valuesToMask } from '../process/environment.ts';
import { endMarkedProcesses } from '../process/terminate-tree.ts';
import { runPaths } from '../store/layout.ts';

const LEFTOVER_GRACE_MS = 5000;

export interface CallPlace {
  readonly site: Site;
  readonly dist: string;
  /** Told before anything of the call starts, and when nothing of it runs any more. */
  onMark(change: 'begins' | 'ends', mark: string): void;
}

/** Nothing that it started runs when it resolves. */
export async function performCall(
  place: CallPlace,
  plan: Pick<RunPlan, 'secrets' | 'cassette'>,
  {
    call,
    request,
    signal,
  }: { readonly call: CallRow; readonly request: CallRequest; readonly signal: AbortSignal },
): Promise<EffectOutput> {
  const { site, dist } = place;
  const { workspace, environment } = site;
  const { key, attempt, effect, input, timeLeftMs, asked } = request;
  const mark = markOf(call, workspace);
  const host = composeHost({
    site,
    dist,
    showsOutput: false,
    secrets: valuesToMask(environment as { readonly [name: string]: string }, plan.secrets),
    onEvent() {},
    ...defined({ cassette: plan.cassette }),
  });
  place.onMark('begins', mark);
  try {
    await endEarlierStarts(call, workspace);
    const run = (host.effects as unknown as { readonly [name: string]: Effect<JsonValue, EffectOutput> })[
      effect
    ];
    if (run === undefined) throw new Error(`unknown effect \`${effect}\``);
    const output = await run(input, {
      ...{ key: key as StepKey, attempt, signal },
      ...defined({ timeLeftMs, asked }),
      run: siteOf(call.run_id as RunId, workspace, { mark, ...defined({ folder: request.folder }) }),
      emit() {},
      processStarted() {},
    });
    return (host.redact?.(output as unknown as JsonValue) ?? output) as EffectOutput;
  } finally {
    await endMarkedProcesses(mark, { graceMs: LEFTOVER_GRACE_MS });
    host.close();
    place.onMark('ends', mark);
  }
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
