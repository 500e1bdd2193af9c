import { join } from 'node:path';
import type { RunStatus } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { RunState } from '../model/run-state.ts';
import { readJournal } from '../store/journal-file.ts';
import { type RunPaths, runPathsIn, runsFolder } from '../store/layout.ts';
import { foldEvents, isRunAlive } from './inspect-run.ts';
import { readState } from './read-state.ts';
import { listRunIds } from './run-ids.ts';

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

/** All that `effectiveStatus` answers. */
export const LISTED_STATUSES: readonly string[] = [
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'damaged',
] satisfies readonly (RunStatus | 'damaged')[];

export function unknownStatus(status: string): string {
  return `error: there is no status \`${status}\`\nhelp: use one of ${LISTED_STATUSES.join(', ')}\n`;
}

/** The runs of a workspace, the newest first, each read when it is asked for. */
export function* listRuns(workspace: string): Generator<ListedRun> {
  const folder = runsFolder(workspace);
  for (const runId of listRunIds(workspace)) yield lookAt(runId, runPathsIn(join(folder, runId)));
}

/** `interrupted` for a run that says it runs and whose process is gone. */
export function effectiveStatus(run: ListedRun): RunStatus | 'damaged' {
  if (run.type === 'damaged') return 'damaged';
  return run.state.status === 'running' && !run.isAlive ? 'interrupted' : run.state.status;
}

/** By the view, which is small and written for this; by the journal where the view cannot be read. */
function lookAt(runId: RunId, paths: RunPaths): ListedRun {
  let isAlive = false;
  try {
    isAlive = isRunAlive(paths);
  } catch {
    // A lock that cannot be read says nothing; the reason is told by what follows.
  }
  const viewed = readState(paths.state, runId);
  if (viewed !== undefined) return { type: 'run', runId, paths, state: viewed, isAlive };
  const journal = readJournal(paths.journal);
  if (journal.type === 'error')
    return { type: 'damaged', runId, paths, reason: journal.error.message, isAlive };
  const state = foldEvents(journal.value.events);
  return state === undefined
    ? { type: 'damaged', runId, paths, reason: 'it was cut off before it began', isAlive }
    : { type: 'run', runId, paths, state, isAlive };
}
