import type { Stepped } from '../engine/durable.ts';
import { recordOf } from '../engine/record-of.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { OutputLog, StepRecord, WorkOutput } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { note } from '../steps/notes.ts';
import type { StepCall } from './block.ts';
import { renderGlobs, renderTexts } from './render.ts';

export type CacheLookup =
  | { readonly type: 'off' }
  | { readonly type: 'miss'; readonly digest: string }
  | { readonly type: 'hit'; readonly record: StepRecord };

/** Everything the result of a step depends on, besides its `cache`. */
export interface CacheBasis {
  readonly basis: JsonValue;
  readonly files?: readonly string[];
  readonly logs?: readonly OutputLog[];
}

/** Looks for the same step in an earlier run. */
export async function lookInCache(
  call: StepCall,
  { basis, files = [], logs = [] }: CacheBasis,
): Promise<Result<CacheLookup, Failure>> {
  const { block, step, key } = call;
  const isOff = block.options.noCache === true || block.options.dryRun === true;
  if (step.cache === undefined || isOff) return ok({ type: 'off' });
  const inputs = renderGlobs(block, step.cache.inputs);
  if (inputs.type === 'error') return inputs;
  const keys = renderTexts(block, step.cache.key);
  if (keys.type === 'error') return keys;
  const stepped = await block.durable.step(sideKey(key, 'cache'), 'read-cache', {
    basis: { step: basis, key: keys.value },
    inputs: inputs.value,
    promptFiles: files,
    ...(logs.length === 0 ? {} : { promptLogs: logs }),
  });
  const { output } = stepped;
  if (output.failure !== undefined) return error(output.failure);
  if (output.hit === undefined) return ok({ type: 'miss', digest: output.digest });
  const hit: Stepped<WorkOutput> = { ...stepped, output: withoutSpending(output.hit.output) };
  const record = recordOf(hit);
  await note(block, { key, side: 'record' }, { type: 'record', record });
  await note(
    block,
    { key, side: 'why' },
    { type: 'decision', message: `result taken from the cache (run ${output.hit.runId})` },
  );
  return ok({ type: 'hit', record });
}

/** Stores a success for later runs. */
export async function keepInCache(call: StepCall, lookup: CacheLookup, record: StepRecord): Promise<void> {
  if (lookup.type !== 'miss' || record.status !== 'completed') return;
  const { startedAt, completedAt, durationMs, attempts, status, ...output } = record;
  await call.block.durable.step(sideKey(call.key, 'keep'), 'write-cache', {
    digest: lookup.digest,
    output,
    files: record.artifacts ?? [],
  });
}

/** A cached result costs nothing. */
function withoutSpending(output: WorkOutput): WorkOutput {
  const { spent: _spent, ...rest } = output;
  return rest;
}
