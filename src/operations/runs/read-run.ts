/** Reads a run from its journal without changing anything (J6). All reading of runs goes through here. */
import { foldEvents } from '../../engine/fold-state.ts';
import { markInterrupted } from '../../engine/mark-interrupted.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState } from '../../model/run-state.ts';
import { type JournalDamage, readJournal } from '../../store/journal-file.ts';
import { type RunPaths, runPaths } from '../../store/layout.ts';
import type { ReadRunProblem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findRun } from './find-run.ts';
import { isRunAlive } from './run-life.ts';

export interface ReadRun {
  readonly runId: RunId;
  readonly paths: RunPaths;
  readonly events: readonly JournalEvent[];
  readonly started: Extract<JournalEvent, { type: 'run-started' }>;
  readonly state: RunState;
  /** The process that owns it is alive, or may be alive on another machine. */
  readonly isAlive: boolean;
  /** Size of an unfinished record at the end, left by a killed process. */
  readonly tornBytes: number;
  /** Events before the damage were read. */
  readonly damage?: JournalDamage;
}

/** Reads as much as possible: for a damaged run, the events before the damage. */
export function readRun(site: Pick<Site, 'workspace'>, asked: string): Result<ReadRun, ReadRunProblem> {
  const found = findRun(site, asked);
  return found.type === 'ok' ? readRunById(site, found.value) : found;
}

/** Reads a run to resume it: fails if it is damaged. */
export function readWholeRun(site: Pick<Site, 'workspace'>, asked: string): Result<ReadRun, ReadRunProblem> {
  const run = readRun(site, asked);
  return run.type === 'ok' ? whole(run.value) : run;
}

export function readWholeRunById(
  site: Pick<Site, 'workspace'>,
  runId: RunId,
): Result<ReadRun, ReadRunProblem> {
  const run = readRunById(site, runId);
  return run.type === 'ok' ? whole(run.value) : run;
}

export function readRunById(
  { workspace }: Pick<Site, 'workspace'>,
  runId: RunId,
): Result<ReadRun, ReadRunProblem> {
  const paths = runPaths(workspace, runId);
  const journal = readJournal(paths.journal);
  const events = journal.type === 'ok' ? journal.value.events : readable(journal.error);
  const state = foldEvents(events);
  const started = events.find((event) => event.type === 'run-started');
  if (state === undefined || started === undefined) {
    if (journal.type === 'error') return error({ type: 'damaged-run', runId, damage: journal.error });
    return error({ type: 'unbegun-run', runId });
  }
  const isAlive = isRunAlive(paths);
  if (state.status === 'running' && !isAlive) markInterrupted(state, state.updated_at);
  return ok({
    runId,
    paths,
    events,
    started,
    state,
    isAlive,
    tornBytes: journal.type === 'ok' && !isAlive ? journal.value.tornBytes : 0,
    ...(journal.type === 'error' ? { damage: journal.error } : {}),
  });
}

function whole(run: ReadRun): Result<ReadRun, ReadRunProblem> {
  return run.damage === undefined
    ? ok(run)
    : error({ type: 'damaged-run', runId: run.runId, damage: run.damage });
}

function readable(damage: JournalDamage): readonly JournalEvent[] {
  return 'before' in damage ? damage.before : [];
}
