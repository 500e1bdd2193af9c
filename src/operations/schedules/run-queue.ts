/**
 * Runs that wait for their turn: `.orchestrate/keeper/queue.json`. The highest priority is first, then the oldest. An entry has the id of
 * its run, so that it starts once, whoever is killed (K1).
 */

import { dirname } from 'node:path';
import { defined } from '../../model/defined.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { createDocument, type DocumentProblem, loadDocument, updateDocument } from '../../store/document.ts';
import { keeperPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import type { StartWorkflow } from '../definitions/asked.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { startFile } from '../starting/start-file.ts';
import { trustNamed } from './trusted-workflows.ts';

export interface QueuedRun {
  readonly run_id: RunId;
  readonly workflow: string;
  readonly file: string;
  readonly priority: number;
  readonly queued_at: string;
  readonly context: JsonObject;
  readonly options?: JsonObject;
  /** It starts when no other run of this schedule is open. */
  readonly schedule?: string;
}

interface QueueDocument extends JsonObject {
  readonly runs: readonly JsonObject[];
}

export const LOWEST_PRIORITY = -1000;
export const HIGHEST_PRIORITY = 1000;

/** In the order in which they start. An unreadable queue is a problem, not an empty one. */
export function readQueue(workspace: string): Result<readonly QueuedRun[], Problem> {
  const loaded = loadDocument(keeperPaths(workspace).queue, parseQueue);
  if (loaded.type === 'error')
    return loaded.error.type === 'missing' ? ok([]) : error(documentRefusal(loaded.error));
  return ok(inOrder(runsOf(loaded.value)));
}

export interface QueueRun extends Pick<StartWorkflow, 'file' | 'context' | 'options'> {
  readonly priority?: number;
}

/** Checks the workflow as `run` does, and puts it into the queue. */
export async function queueRun(site: Site, asked: QueueRun): Promise<Result<QueuedRun, Problem>> {
  const { file, context = {}, options, priority = 0 } = asked;
  const prepared = await startFile(site, { file, context, ...defined({ options }) });
  if (prepared.type === 'error') return prepared;
  await trustNamed(site, file);
  const { runId, title } = prepared.value.plan;
  const entry: QueuedRun = {
    ...{ run_id: runId, workflow: title, file, priority },
    queued_at: site.now().toISOString(),
    context,
    ...(options === undefined ? {} : { options: options as JsonObject }),
  };
  const put = await putInRunQueue(site, entry);
  return put.type === 'ok' ? ok(entry) : put;
}

/** Does nothing if it is there already. */
export function putInRunQueue(site: Site, entry: QueuedRun): Promise<Result<void, Problem>> {
  return changeQueue(site, (runs) =>
    runs.some(({ run_id }) => run_id === entry.run_id) ? runs : [...runs, entry],
  );
}

export function dropFromRunQueue(site: Site, runId: string): Promise<Result<void, Problem>> {
  return changeQueue(site, (runs) => {
    const rest = runs.filter(({ run_id }) => run_id !== runId);
    return rest.length === runs.length ? runs : rest;
  });
}

/** Changes the priority of a run that waits. */
export async function moveInRunQueue(
  site: Site,
  { run, priority }: { readonly run: string; readonly priority: number },
): Promise<Result<QueuedRun, Problem>> {
  const found = findQueued(site, run);
  if (found.type === 'error') return found;
  const moved = { ...found.value, priority };
  const changed = await changeQueue(site, (runs) =>
    runs.map((each) => (each.run_id === moved.run_id ? { ...each, priority } : each)),
  );
  return changed.type === 'ok' ? ok(moved) : changed;
}

/** By the id of its run, or a unique prefix. */
export function findQueued({ workspace }: Site, run: string): Result<QueuedRun, Problem> {
  const queue = readQueue(workspace);
  if (queue.type === 'error') return queue;
  const found = queue.value.filter(({ run_id }) => run_id.startsWith(run));
  const [only] = found;
  if (only !== undefined && found.length === 1) return ok(only);
  return error({
    type: 'no-such-queued-run',
    run,
    isAmbiguous: found.length > 1,
    queued: queue.value.map(({ run_id }) => run_id),
  });
}

async function changeQueue(
  { workspace }: Site,
  change: (runs: readonly QueuedRun[]) => readonly QueuedRun[],
): Promise<Result<void, Problem>> {
  const { folder, queue } = keeperPaths(workspace);
  makeOrchestrateFolder(dirname(folder));
  makeFolder(folder, 0o700);
  await createDocument(queue, { runs: [] }, { mode: 0o600 });
  const updated = await updateDocument(queue, parseQueue, (document) => {
    const before = runsOf(document);
    const after = change(before);
    return after === before ? document : { ...document, runs: after as unknown as readonly JsonObject[] };
  });
  return updated.type === 'ok' ? ok(undefined) : error(documentRefusal(updated.error));
}

function documentRefusal(problem: DocumentProblem): Problem {
  return 'message' in problem
    ? { type: 'document-problem', problem }
    : { type: 'locked-document', file: problem.path };
}

function inOrder(runs: readonly QueuedRun[]): readonly QueuedRun[] {
  return [...runs].sort((a, b) => b.priority - a.priority || (a.queued_at < b.queued_at ? -1 : 1));
}

function runsOf({ runs }: QueueDocument): readonly QueuedRun[] {
  return runs as unknown as readonly QueuedRun[];
}

function parseQueue(value: JsonValue): Result<QueueDocument, readonly string[]> {
  const runs = isJsonObject(value) ? value['runs'] : undefined;
  if (!Array.isArray(runs)) return error(['`runs` must be a list']);
  const problems = (runs as readonly JsonValue[]).flatMap((run, index) =>
    isQueued(run) ? [] : [`\`runs[${index}]\` is not a queued run`],
  );
  return problems.length === 0 ? ok(value as QueueDocument) : error(problems);
}

function isQueued(run: JsonValue): boolean {
  return (
    isJsonObject(run) &&
    parseRunId(String(run['run_id'])) !== undefined &&
    typeof run['file'] === 'string' &&
    typeof run['workflow'] === 'string' &&
    typeof run['priority'] === 'number' &&
    typeof run['queued_at'] === 'string' &&
    isJsonObject(run['context'])
  );
}
