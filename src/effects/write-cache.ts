import type { Effect } from '../engine/durable.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import { cacheEntryFolder } from '../store/layout.ts';
import { saveEntry } from '../store/result-cache.ts';
import type { Seals } from '../store/seal.ts';
import type { WriteCacheInput } from './contracts.ts';

/** Saves a result and copies of its files, for `read-cache` of later runs. */
export function createWriteCache(seals: Seals): Effect<WriteCacheInput, EffectOutput> {
  return async (input, { run, signal }) => {
    signal.throwIfAborted();
    const saved = saveEntry(run.workspace, cacheEntryFolder(run.home ?? run.workspace, input.digest), {
      runId: run.runId,
      output: input.output as unknown as JsonValue,
      files: input.files,
      seals,
    });
    return saved.type === 'error' ? { failure: saved.error } : {};
  };
}
