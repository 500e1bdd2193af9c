/**
 * Reads a run from its journal without changing anything (J6). All reading of runs goes through here. A journal may be larger than
 * memory should be: it is folded while it is read, and its events are kept only for those who ask for them.
 */
import { StateFold } from '../../engine/fold-state.ts';
import { isMilestone, type Milestone } from '../../engine/milestone.ts';
import { RunHistory } from '../../engine/run-history.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState } from '../../model/run-state.ts';
import { type JournalDamage, type Reader, visitJournal } from '../../store/journal-file.ts';
import type { RunPaths } from '../../store/layout.ts';
import type { ReadRunProblem } from '../problem.ts';
import { findRun } from './find-run.ts';
import { type OfRuns, sourceOf } from './run-source.ts';
import { markIfAbandoned } from './seen-state.ts';

export interface ReadRun {
  readonly runId: RunId;
  readonly paths: RunPaths;
  readonly milestones: readonly Milestone[];
  readonly started: Extract<JournalEvent, { type: 'run-started' }>;
  readonly state: RunState;
  /** The process that owns it is alive, or may be alive on another machine. */
  readonly isAlive: boolean;
  /** Size of an unfinished record at the end, left by a killed process. */
  readonly tornBytes: number;
  /** Events before the damage were read. */
  readonly damage?: JournalDamage;
}

export interface RunWithEvents extends ReadRun {
  readonly events: readonly JournalEvent[];
}

/** A run that is not damaged. If its process was killed, the state is as it left it: `running`. */
export interface RunToResume extends ReadRun {
  readonly history: RunHistory;
}

/** Reads as much as possible: for a damaged run, the events before the damage. */
export function readRun(site: OfRuns, asked: string): Result<ReadRun, ReadRunProblem> {
  const found = findRun(site, asked);
  return found.type === 'ok' ? readRunById(site, found.value) : found;
}

export function readRunWithEvents(site: OfRuns, asked: string): Result<RunWithEvents, ReadRunProblem> {
  const found = findRun(site, asked);
  if (found.type === 'error') return found;
  const events: JournalEvent[] = [];
  const run = readView(site, found.value, { visit: (event) => events.push(event) });
  return run.type === 'ok' ? ok({ ...run.value, events }) : run;
}

/** Fails if it is damaged. */
export function readWholeRun(site: OfRuns, asked: string): Result<RunWithEvents, ReadRunProblem> {
  const run = readRunWithEvents(site, asked);
  return run.type === 'ok' ? whole(run.value) : run;
}

/** `visit` sees every event on the way, without the inputs of steps. */
export function readRunToResume(
  site: OfRuns,
  asked: string,
  visit?: Reader['visit'],
): Result<RunToResume, ReadRunProblem> {
  const found = findRun(site, asked);
  return found.type === 'ok' ? readRunToResumeById(site, found.value, visit) : found;
}

export function readRunToResumeById(
  site: OfRuns,
  runId: RunId,
  visit: Reader['visit'] = () => {},
): Result<RunToResume, ReadRunProblem> {
  const history = new RunHistory();
  const run = readInto(history, { site, runId }, { visit, detail: 'essential' });
  return run.type === 'ok' ? whole({ ...run.value, history }) : run;
}

export function readRunById(site: OfRuns, runId: RunId): Result<ReadRun, ReadRunProblem> {
  return visitRunById(site, runId, () => {});
}

/** `visit` sees every event on the way, without what views do not show. */
export function visitRunById(
  site: OfRuns,
  runId: RunId,
  visit: Reader['visit'],
): Result<ReadRun, ReadRunProblem> {
  return readView(site, runId, { visit, detail: 'shown' });
}

function readView(site: OfRuns, runId: RunId, reader: Reader): Result<ReadRun, ReadRunProblem> {
  const run = readInto(new RunView(), { site, runId }, reader);
  if (run.type === 'error') return run;
  const { state, isAlive } = run.value;
  markIfAbandoned(state, isAlive);
  return run;
}

/** The events of a run that was read without them; if it is damaged, those before the damage. */
export function eventsOf({ paths }: Pick<ReadRun, 'paths'>): readonly JournalEvent[] {
  const events: JournalEvent[] = [];
  visitJournal(paths.journal, { visit: (event) => events.push(event) });
  return events;
}

interface Reading {
  readonly fold: StateFold;
  readonly milestones: readonly Milestone[];
  mark?: RunHistory['mark'];
  apply(event: JournalEvent): void;
}

/** What views need of a run. */
class RunView implements Reading {
  readonly fold = new StateFold();
  readonly milestones: Milestone[] = [];

  apply(event: JournalEvent): void {
    this.fold.apply(event);
    if (isMilestone(event)) this.milestones.push(event);
  }
}

function readInto(
  reading: Reading,
  { site, runId }: { readonly site: OfRuns; readonly runId: RunId },
  reader: Reader,
): Result<ReadRun, ReadRunProblem> {
  const source = sourceOf(site);
  const paths = source.pathsOf(runId);
  // Before its journal is read: a run that ends meanwhile must not look interrupted.
  const isAlive = source.isAlive(runId);
  const journal = visitJournal(paths.journal, {
    ...reader,
    visit(event) {
      reading.apply(event);
      reader.visit(event);
    },
  });
  const { milestones } = reading;
  const { state } = reading.fold;
  const started = milestones.find((event) => event.type === 'run-started');
  if (state === undefined || started === undefined) {
    if (journal.type === 'error') return error({ type: 'damaged-run', runId, damage: journal.error });
    return error({ type: 'unbegun-run', runId });
  }
  if (journal.type === 'ok') reading.mark = journal.value.mark;
  return ok({
    ...{ runId, paths, milestones, started, state, isAlive },
    tornBytes: journal.type === 'ok' && !isAlive ? journal.value.tornBytes : 0,
    ...(journal.type === 'error' ? { damage: journal.error } : {}),
  });
}

function whole<Run extends ReadRun>(run: Run): Result<Run, ReadRunProblem> {
  return run.damage === undefined
    ? ok(run)
    : error({ type: 'damaged-run', runId: run.runId, damage: run.damage });
}
