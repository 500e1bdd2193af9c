import { StateFold } from '../../engine/fold-state.ts';
import type { RunStatus } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState } from '../../model/run-state.ts';
import { visitJournal } from '../../store/journal-file.ts';
import type { RunPaths } from '../../store/layout.ts';
import type { Problem } from '../problem.ts';
import type { RunSource } from '../workers.ts';
import { readState } from './read-state.ts';
import { type OfRuns, sourceOf } from './run-source.ts';
import { markRunIfAbandoned } from './seen-state.ts';

export type ListedRun =
  | {
      readonly type: 'run';
      readonly runId: RunId;
      readonly paths: RunPaths;
      readonly state: RunState;
      readonly isAlive: boolean;
    }
  | {
      readonly type: 'damaged';
      readonly runId: RunId;
      readonly paths: RunPaths;
      readonly reason: string;
      readonly isAlive: boolean;
    };

/** Every status that `effectiveStatus` can return. */
export const LISTED_STATUSES: readonly string[] = [
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'damaged',
] satisfies readonly (RunStatus | 'damaged')[];

export function checkStatus(status: string): Result<void, Problem> {
  if (LISTED_STATUSES.includes(status)) return ok(undefined);
  return error({ type: 'unknown-run-status', status, statuses: LISTED_STATUSES });
}

/** The runs of a workspace, newest first, read lazily. */
export function* listRuns(site: OfRuns): Generator<ListedRun> {
  const source = sourceOf(site);
  for (const runId of source.ids()) yield lookAtRun(source, runId);
}

export function effectiveStatus(run: ListedRun): RunStatus | 'damaged' {
  return run.type === 'damaged' ? 'damaged' : run.state.status;
}

/** Reads `state.json`, which is small, if it matches the journal; otherwise the journal. */
export function lookAtRun(source: RunSource, runId: RunId): ListedRun {
  const paths = source.pathsOf(runId);
  let isAlive = false;
  try {
    isAlive = source.isAlive(runId);
  } catch {
    // If the lock cannot be read, what follows reports why.
  }
  const viewed = readState(paths, runId);
  if (viewed !== undefined) {
    markRunIfAbandoned(viewed, isAlive);
    return { type: 'run', runId, paths, state: viewed, isAlive };
  }
  return foldRun({ runId, paths, isAlive });
}

/** Reads the journal, whatever `state.json` says. */
function foldRun({ runId, paths, isAlive }: Pick<ListedRun, 'runId' | 'paths' | 'isAlive'>): ListedRun {
  const fold = new StateFold();
  const journal = visitJournal(paths.journal, {
    visit: (event) => fold.apply(event),
    detail: 'shown',
  });
  if (journal.type === 'error')
    return { type: 'damaged', runId, paths, reason: journal.error.message, isAlive };
  const { state } = fold;
  if (state === undefined)
    return { type: 'damaged', runId, paths, reason: 'it was interrupted before it started', isAlive };
  markRunIfAbandoned(state, isAlive);
  return { type: 'run', runId, paths, state, isAlive };
}
