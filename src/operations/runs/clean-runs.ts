/** Chooses old runs and removes them. */
import fs from 'node:fs';
import { defined } from '../../model/defined.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import type { RunStatus } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { holderText } from '../../store/describe-held.ts';
import { errnoOf } from '../../store/errno.ts';
import { runPaths } from '../../store/layout.ts';
import { acquireLock } from '../../store/lock.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { strangersIn } from '../../store/run-folder.ts';
import { describeProblem } from '../describe-problem.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { keptRunText } from './kept-run-text.ts';
import { checkStatus, effectiveStatus, type ListedRun, listRuns } from './list-runs.ts';
import { findOwnWork, tidyStaleWork, tidyWork } from './own-worktrees.ts';
import { type RunHead, readLeftRun } from './run-head.ts';
import { startOf } from './run-ids.ts';

/** Waiting runs are removed only if that status is asked for. */
export const CLEANED: readonly string[] = ['completed', 'failed', 'cancelled', 'interrupted', 'damaged'];

export const CLEANED_AFTER_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

export interface CleanRuns {
  /** Default: 30 days. */
  readonly olderThanMs?: number;
  /** Keep this many of the newest runs, regardless of age. */
  readonly keep?: number;
  readonly statuses?: readonly string[];
}

export function chooseOldRuns(site: Site, asked: CleanRuns): Result<readonly ListedRun[], Problem> {
  const statuses = asked.statuses ?? CLEANED;
  for (const status of statuses) {
    const known = checkStatus(status);
    if (known.type === 'error') return known;
  }
  const before = site.now().getTime() - (asked.olderThanMs ?? CLEANED_AFTER_DAYS * DAY_MS);
  const chosen: ListedRun[] = [];
  let seen = 0;
  for (const run of listRuns(site)) {
    seen += 1;
    if (seen <= (asked.keep ?? 0) || run.isAlive) continue;
    if (statuses.includes(effectiveStatus(run)) && startOf(run) <= before) chosen.push(run);
  }
  return ok(chosen);
}

export type RunRemoved =
  /** `branches`: they have work that is not merged, and stay. */
  /** `left`: why something of it is still there. */
  | { readonly type: 'removed'; readonly branches: readonly string[]; readonly left?: Problem }
  | { readonly type: 'held'; readonly by: string }
  /** Its rows cannot be removed now. */
  | { readonly type: 'kept-by-workers'; readonly problem?: Problem }
  /** Its status is not the one it was chosen for. */
  | { readonly type: 'changed'; readonly status: string }
  /** Files in the folder that were not written by orchestrate. */
  | { readonly type: 'not-ours'; readonly names: readonly string[] };

export type RunKept = Exclude<RunRemoved, { readonly type: 'removed' }>;

export interface RunsCleaned {
  readonly removed: readonly RunId[];
  readonly kept: readonly KeptRun[];
}

export interface KeptRun {
  readonly runId: RunId;
  readonly reason: RunKept['type'] | 'not-removed';
  /** In words. */
  readonly why: string;
}

/** Without a question in between. */
export async function cleanRuns(site: Site, asked: CleanRuns): Promise<Result<RunsCleaned, Problem>> {
  const chosen = chooseOldRuns(site, asked);
  if (chosen.type === 'error') return chosen;
  await tidyStaleWork(site);
  const removed: RunId[] = [];
  const kept: KeptRun[] = [];
  for (const run of chosen.value) {
    const { runId } = run;
    const done = await removeRun(site, run);
    if (done.type === 'error')
      kept.push({ runId, reason: 'not-removed', why: describeProblem(done.error).message });
    else if (done.value.type === 'removed') {
      removed.push(runId);
      const { left } = done.value;
      if (left !== undefined) kept.push({ runId, reason: 'not-removed', why: describeProblem(left).message });
    } else kept.push({ runId, reason: done.value.type, why: keptRunText(done.value) });
  }
  return ok({ removed, kept });
}

/** Takes the lock and reads the journal first, so that a run that was just resumed, or now waits for an answer, is kept. */
export async function removeRun(site: Site, run: ListedRun): Promise<Result<RunRemoved, Problem>> {
  const there = await removeFromWorkers(site, run);
  const paths = there === undefined ? run.paths : runPaths(site.workspace, run.runId);
  if (there !== undefined && (there.type !== 'removed' || !fs.existsSync(paths.directory))) return ok(there);
  try {
    const locked = acquireLock(paths.lock);
    if (locked.type === 'error') return ok({ type: 'held', by: holderText(locked.error) });
    const status = await statusNow(run);
    if (there === undefined && status !== effectiveStatus(run)) {
      locked.value.release();
      return ok({ type: 'changed', status });
    }
    const names = strangersIn(paths.directory);
    if (names.length > 0) {
      locked.value.release();
      return ok({ type: 'not-ours', names });
    }
    const tidied = await tidyWorkOf(site, run);
    if (tidied.type === 'error') {
      locked.value.release();
      return error({ type: 'run-not-removed', directory: paths.directory, reason: tidied.error });
    }
    removeFolder(paths.directory);
    const left = there?.type === 'removed' ? there.left : undefined;
    return ok({ type: 'removed', branches: tidied.value, ...defined({ left }) });
  } catch (cause) {
    const reason = errnoWords(errnoOf(cause));
    return error({ type: 'run-not-removed', directory: paths.directory, reason });
  }
}

/** By its journal, whatever `state.json` says. */
async function statusNow(run: Pick<RunHead, 'runId' | 'paths'>): Promise<RunStatus | 'damaged'> {
  const read = await readLeftRun(run);
  return read.type === 'ok' ? read.value.state.status : 'damaged';
}

/** Undefined for a run of this machine. The rows go first: what they say would bring the run back. */
async function removeFromWorkers({ workers }: Site, run: ListedRun): Promise<RunRemoved | undefined> {
  const { runId } = run;
  const isTheirs = run.type === 'run' && run.state['engine'] !== undefined;
  if (workers === undefined && isTheirs)
    return { type: 'kept-by-workers', problem: { type: 'run-of-workers', runId } };
  if (workers?.runs.has(runId) !== true) return undefined;
  await workers.runs.refresh(runId).catch(() => {});
  const status = await statusNow({ runId, paths: workers.runs.pathsOf(runId) });
  if (status !== effectiveStatus(run)) return { type: 'changed', status };
  const removed = await workers.remove(runId);
  if (removed.type === 'error')
    return removed.error.type === 'hub-not-cleaned'
      ? { type: 'removed', branches: [], left: removed.error }
      : { type: 'kept-by-workers', problem: removed.error };
  return removed.value === 'removed' ? { type: 'removed', branches: [] } : { type: 'kept-by-workers' };
}

/** Only a run with isolated work has anything in git. */
async function tidyWorkOf(
  site: Site,
  { runId, paths }: ListedRun,
): Promise<Result<readonly string[], string>> {
  if (![paths.worktrees, paths.merges, paths.diffs].some((folder) => fs.existsSync(folder))) return ok([]);
  const work = (await findOwnWork(site)).find((each) => each.runId === runId);
  return work === undefined ? ok([]) : tidyWork(site, work);
}
