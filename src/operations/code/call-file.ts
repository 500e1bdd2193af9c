/** Runs a workflow file as part of a run of code: its steps are records of the same journal, with the same budget. */
import type { FileCalled } from '../../code/run/execution.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { asContainer } from '../../steps/container.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import { type EndedStep, type SiteCall, wholeKey } from '../../steps/site.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import { type CalledBlock, runCalled } from '../../workflow/run/program.ts';
import type { Site } from '../site.ts';
import { loadForRun } from '../workflows/load.ts';

export async function callFile(site: Site, call: SiteCall, asked: FileCalled): Promise<EndedStep> {
  const { block, key } = call;
  const { runId, workspace, options, cassette } = asked.input;
  // The file as it was at the first call: a later change is for later runs.
  const { output } = await block.durable.step(
    sideKey(key, 'definition'),
    'remember',
    { value: loadedIn(site, asked) },
    { syncWithNext: true },
  );
  const remembered = isJsonObject(output.value) ? output.value : {};
  if (remembered['failure'] !== undefined)
    return failedAtOnce(call, remembered['failure'] as unknown as Failure);
  const called: CalledBlock = {
    definition: remembered['definition'] as unknown as WorkflowDefinition,
    context: remembered['context'] as unknown as JsonObject,
    site: { ...block, durable: block.durable, path: key, wholePath: wholeKey(block, key) },
    run: { runId, workspace },
    options: defined({
      agent: options.agent,
      maxRetries: options.maxRetries,
      retryDelayMs: options.retryDelayMs,
    }),
    replays: cassette?.type === 'replay',
  };
  return asContainer(call, { type: 'container', kind: 'call', title: asked.file }, () => runCalled(called));
}

function loadedIn(site: Site, { file, context }: FileCalled): JsonValue {
  const loaded = loadForRun(site, file, { context });
  if (loaded.type === 'ok') {
    const { definition, context: whole } = loaded.value;
    return { definition, context: whole } as unknown as JsonValue;
  }
  const messages = loaded.error.diagnostics.map(({ message }) => message);
  return {
    failure: { type: 'program-error', message: `\`${file}\` cannot be called: ${messages.join('; ')}` },
  };
}
