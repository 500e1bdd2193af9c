import type { Effect } from '../engine/durable.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import { cacheEntryFolder } from '../store/layout.ts';
import { saveEntry } from '../store/result-cache.ts';
import type { WriteCacheInput } from './contracts.ts';

/** Keeps a result and copies of the files it left, for `read-cache` of later runs. */
export const writeCache: Effect<WriteCacheInput, EffectOutput> = async (input, { run, signal }) => {
  signal.throwIfAborted();
  const saved = saveEntry(run.workspace, cacheEntryFolder(run.workspace, input.digest), {
    runId: run.runId,
    output: input.output as unknown as JsonValue,
    files: input.files,
  });
  return saved.type === 'error' ? { failure: saved.error } : {};
};
