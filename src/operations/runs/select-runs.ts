/** Selects runs of a workspace and summarizes them as data. */
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { checkStatus, effectiveStatus, type ListedRun, listRuns } from './list-runs.ts';
import { listRunIds } from './run-ids.ts';

export interface SelectRuns {
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
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

export function selectRuns(site: Site, { kind, status, limit }: SelectRuns): Result<SelectedRuns, Problem> {
  const known = status === undefined ? ok(undefined) : checkStatus(status);
  if (known.type === 'error') return error(known.error);
  const found: ListedRun[] = [];
  const isEmpty = listRunIds(site.workspace).length === 0;
  for (const run of listRuns(site.workspace)) {
    if (status !== undefined && effectiveStatus(run) !== status) continue;
    if (kind !== undefined && (run.type === 'damaged' || run.state.kind !== kind)) continue;
    if (limit > 0 && found.length === limit) return ok({ found, hasMore: true, isEmpty });
    found.push(run);
  }
  return ok({ found, hasMore: false, isEmpty });
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
    started_at: state.started_at,
    updated_at: state.updated_at,
    completed_at: state.completed_at,
    error: state.error,
    waiting_for: state.waiting_for === undefined ? undefined : Object.keys(state.waiting_for),
    limits: state.limits,
    totals: state.totals,
  };
}
