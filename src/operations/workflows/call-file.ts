/** Runs a workflow file as part of a run of code: its steps are records of the same journal, with the same budget. */
import type { FileCalled } from '../../code/run/execution.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { asContainer } from '../../steps/container.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import { type EndedStep, type SiteCall, wholeKey } from '../../steps/site.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import { type CalledBlock, runCalled } from '../../workflow/run/program.ts';
import { type LoadedCode, loadCode } from '../code/load-code.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import { programCaller } from './call-program.ts';
import { loadForRun } from './load.ts';

export async function callFile(site: Site, call: SiteCall, asked: FileCalled): Promise<EndedStep> {
  const { block, key } = call;
  const { input, host, signal, replay } = asked.by;
  const { runId, workspace, options, cassette, startedAt, acceptedAt } = input;
  // The file as it was at the first call: a later change is for later runs.
  const { output } = await block.durable.step(
    sideKey(key, 'definition'),
    'remember',
    { value: await loadedIn(site, asked) },
    { syncWithNext: true },
  );
  const remembered = output.value as unknown as Remembered;
  if (remembered.failure !== undefined) return failedAtOnce(call, remembered.failure);
  const programs = await loadAll(site, remembered.programs);
  if (programs.type === 'error') return failedAtOnce(call, programs.error);
  const called: CalledBlock = {
    definition: remembered.definition,
    context: remembered.context,
    site: { ...block, durable: block.durable, path: key, wholePath: wholeKey(block, key) },
    run: { runId, workspace },
    options: defined({
      agent: options.agent,
      maxRetries: options.maxRetries,
      retryDelayMs: options.retryDelayMs,
    }),
    replays: cassette?.type === 'replay',
    ...(programs.value.length === 0
      ? {}
      : {
          callProgram: programCaller({
            run: { runId, workspace, startedAt, ...defined({ cassette, acceptedAt }) },
            ...{ programs: programs.value, host, signal, ...defined({ replay }) },
          }),
        }),
  };
  return asContainer(call, { type: 'container', kind: 'call', title: asked.file }, () => runCalled(called));
}

interface Remembered {
  readonly failure?: Failure;
  readonly definition: WorkflowDefinition;
  readonly context: JsonObject;
  /** Files of the workflows in code that it calls. */
  readonly programs?: readonly string[];
}

async function loadedIn(site: Site, { file, context }: FileCalled): Promise<JsonValue> {
  const loaded = await loadForRun(site, file, { context });
  if (loaded.type === 'ok') {
    const { definition, context: whole, programs } = loaded.value;
    const files = programs.length === 0 ? {} : { programs: programs.map((program) => program.file) };
    return { definition, context: whole, ...files } as unknown as JsonValue;
  }
  return { failure: cannotBeCalled(file, loaded.error) as unknown as JsonValue };
}

async function loadAll(
  site: Site,
  files: readonly string[] = [],
): Promise<Result<readonly LoadedCode[], Failure>> {
  const programs: LoadedCode[] = [];
  for (const file of files) {
    const loaded = await loadCode(site, file);
    if (loaded.type === 'error') return error(cannotBeCalled(file, loaded.error));
    programs.push(loaded.value);
  }
  return ok(programs);
}

function cannotBeCalled(file: string, { diagnostics }: InvalidFile): Failure {
  const messages = diagnostics.map(({ message }) => message);
  return { type: 'program-error', message: `\`${file}\` cannot be called: ${messages.join('; ')}` };
}
