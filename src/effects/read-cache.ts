import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import type { WorkOutput } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { canonicalJson, digestOfFile, digestOfText } from '../store/digest.ts';
import { findFiles } from '../store/glob.ts';
import { cacheEntryFolder } from '../store/layout.ts';
import { loadEntry, putBack } from '../store/result-cache.ts';
import { fileFailure, openInside } from '../store/safe-path.ts';
import type { Seals } from '../store/seal.ts';
import type { ReadCacheInput, ReadCacheOutput } from './contracts.ts';
import { digestOfLog } from './output-log.ts';

/** Finds the result of an earlier step with the same basis and the same contents of its files, and restores its files. */
export function createReadCache(seals: Seals): Effect<ReadCacheInput, ReadCacheOutput> {
  return async (input, { run, signal }) => {
    const basis = digestOfInput(input, run.workspace, signal);
    if (basis.type === 'error') return { digest: '', failure: basis.error };
    const digest = basis.value;
    const folder = cacheEntryFolder(run.home ?? run.workspace, digest);
    const entry = loadEntry(folder, seals);
    if (entry === undefined) return { digest };
    const restored = putBack(run.workspace, folder, entry);
    if (restored.type === 'error') return { digest, failure: restored.error };
    return { digest, hit: { runId: entry.runId, output: entry.output as unknown as WorkOutput } };
  };
}

/** An input pattern without a match, or a missing prompt file, is part of the digest: it changes when a file appears. */
function digestOfInput(
  input: ReadCacheInput,
  workspace: string,
  signal: AbortSignal,
): Result<string, Failure> {
  const inputs: JsonValue[] = [];
  for (const pattern of input.inputs) {
    const found = findFiles(workspace, pattern);
    if (found.type === 'error') return found;
    const digests = digestsOf(found.value, workspace, signal);
    if (digests.type === 'error') return digests;
    inputs.push([pattern, digests.value]);
  }
  const prompts = digestsOf(input.promptFiles, workspace, signal);
  if (prompts.type === 'error') return prompts;
  const logs = (input.promptLogs ?? []).map((log) => digestOfLog(workspace, log) ?? null);
  const parts = { version: 1, basis: input.basis, inputs, prompts: prompts.value };
  return ok(digestOfText(canonicalJson(logs.length === 0 ? parts : { ...parts, logs })));
}

function digestsOf(
  paths: readonly string[],
  workspace: string,
  signal: AbortSignal,
): Result<JsonValue, Failure> {
  const digests: JsonValue[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    const opened = openInside(workspace, path, { to: 'read' });
    if (opened.type === 'error') {
      if (opened.error.type !== 'file' || opened.error.code !== 'ENOENT') return opened;
      digests.push([path, null]);
      continue;
    }
    try {
      digests.push([path, digestOfFile(opened.value.fd)]);
    } catch (cause) {
      return error(fileFailure('read', path, cause));
    } finally {
      closeFile(opened.value.fd);
    }
  }
  return ok(digests);
}
