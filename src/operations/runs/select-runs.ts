/** Selects runs of a workspace and summarizes them as data. */
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { checkStatus, effectiveStatus, type ListedRun, lookAtRun } from './list-runs.ts';
import { startOf } from './run-ids.ts';
import { type OfRuns, sourceOf } from './run-source.ts';

export interface SelectRuns {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  /** Name of the workflow, or its file. */
  readonly workflow?: string | undefined;
  /** Started then or later. */
  readonly since?: Date | undefined;
  /** At most this many, newest first; 0 means all. */
  readonly limit: number;
}

export interface SelectedRuns {
  readonly found: readonly ListedRun[];
  /** There are older runs. */
  readonly hasMore: boolean;
  /** The workspace has no runs at all. */
  readonly isEmpty: boolean;
}

export function selectRuns(site: Site, asked: SelectRuns): Result<SelectedRuns, Problem> {
  const { kind, status, workflow, limit } = asked;
  const known = status === undefined ? ok(undefined) : checkStatus(status);
  if (known.type === 'error') return error(known.error);
  const found: ListedRun[] = [];
  const isEmpty = sourceOf(site).ids().length === 0;
  for (const run of runsSince(site, asked.since)) {
    if (status !== undefined && effectiveStatus(run) !== status) continue;
    if (kind !== undefined && (run.type === 'damaged' || run.state.kind !== kind)) continue;
    if (workflow !== undefined && !isOf(run, workflow)) continue;
    if (limit > 0 && found.length === limit) return ok({ found, hasMore: true, isEmpty });
    found.push(run);
  }
  return ok({ found, hasMore: false, isEmpty });
}

/** Older runs are not even read: an id starts with the time. */
export function* runsSince(site: OfRuns, since: Date | undefined): Generator<ListedRun> {
  // Ids count seconds.
  const first = since === undefined ? 0 : Math.floor(since.getTime() / 1000) * 1000;
  const source = sourceOf(site);
  for (const runId of source.ids()) {
    if (startOf({ runId }) < first) return;
    const run = lookAtRun(source, runId);
    const isEarlier =
      run.type === 'run' && since !== undefined && Date.parse(run.state.started_at) < since.getTime();
    if (!isEarlier) yield run;
  }
}

function isOf(run: ListedRun, workflow: string): boolean {
  if (run.type === 'damaged' || run.state.kind !== 'workflow') return false;
  const file = run.state['workflow_file'];
  return run.state.title === workflow || file === workflow.replace(/^\.\//, '');
}

/** Summary of a run for lists. */
export function summaryOf(run: ListedRun): object {
  if (run.type === 'damaged') return { run_id: run.runId, status: 'damaged', reason: run.reason };
  const { state } = run;
  return {
    run_id: run.runId,
    status: effectiveStatus(run),
    process_alive: run.isAlive,
    kind: state.kind,
    title: state.title,
    workflow_file: state['workflow_file'],
    trial: state['trial'],
    replayed_from: state['replayed_from'],
    started_at: state.started_at,
    updated_at: state.updated_at,
    completed_at: state.completed_at,
    error: state.error,
    waiting_for: state.waiting_for === undefined ? undefined : Object.keys(state.waiting_for),
    limits: state.limits,
    totals: state.totals,
  };
}
