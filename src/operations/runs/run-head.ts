/**
 * What is known of a run as a whole, for those who need none of its steps: its journal is read once, and nothing of it is kept. A process on
 * which others depend reads it in slices, and answers them meanwhile.
 */
import { RunFold } from '../../engine/fold-run.ts';
import type { JournalEvent, RunStatus } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { notedIn } from '../../model/noted.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { RunState } from '../../model/run-state.ts';
import { type JournalDamage, visitJournal } from '../../store/journal-file.ts';
import { JournalTail } from '../../store/journal-tail.ts';
import type { RunPaths } from '../../store/layout.ts';
import type { ReadRunProblem } from '../problem.ts';
import { findRun } from './find-run.ts';
import { type OfRuns, sourceOf } from './run-source.ts';
import { markRunIfAbandoned } from './seen-state.ts';

export interface RunHead {
  readonly runId: RunId;
  readonly paths: RunPaths;
  readonly started: Extract<JournalEvent, { type: 'run-started' }>;
  /** With empty `steps` and `for_each`. */
  readonly state: RunState;
  /** The input it started with, or the last accepted change of it. */
  readonly input: JsonValue;
  /** The signal that ended its last process, if that recorded it. */
  readonly signal: string | undefined;
}

/** Fails if the journal is damaged. */
export function readRunHead(site: OfRuns, asked: string): Result<RunHead, ReadRunProblem> {
  const begun = beginReading(site, asked);
  if (begun.type === 'error') return begun;
  const { paths, fold, finish } = begun.value;
  const read = visitJournal(paths.journal, { visit: (event) => fold.apply(event), detail: 'indexed' });
  return finish(read.type === 'error' ? read.error : undefined);
}

/** The same, while others are answered. */
export async function readRunHeadInSlices(
  site: OfRuns,
  asked: string,
): Promise<Result<RunHead, ReadRunProblem>> {
  const begun = beginReading(site, asked);
  if (begun.type === 'error') return begun;
  const { paths, fold, finish } = begun.value;
  const read = await new JournalTail(paths.journal, 'indexed').read((event) => fold.apply(event));
  return finish(read.type === 'damaged' ? read.damage : undefined);
}

/** What a run that has no process is now, as `effectiveStatus` says it. */
export async function statusInSlices({ journal }: Pick<RunPaths, 'journal'>): Promise<RunStatus | 'damaged'> {
  const fold = new HeadFold();
  const read = await new JournalTail(journal, 'indexed').read((event) => fold.apply(event));
  const { state } = fold;
  if (read.type !== 'read' || state === undefined) return 'damaged';
  markRunIfAbandoned(state, false);
  return state.status;
}

interface Reading {
  readonly paths: RunPaths;
  readonly fold: HeadFold;
  finish(damage: JournalDamage | undefined): Result<RunHead, ReadRunProblem>;
}

function beginReading(site: OfRuns, asked: string): Result<Reading, ReadRunProblem> {
  const found = findRun(site, asked);
  if (found.type === 'error') return found;
  const runId = found.value;
  const source = sourceOf(site);
  const paths = source.pathsOf(runId);
  // Before its journal is read: a run that ends meanwhile must not look interrupted.
  const isAlive = source.isAlive(runId);
  const fold = new HeadFold();
  return ok({
    ...{ paths, fold },
    finish(damage) {
      const { started, state, input, signal } = fold;
      if (damage !== undefined) return error({ type: 'damaged-run', runId, damage });
      if (started === undefined || state === undefined) return error({ type: 'unbegun-run', runId });
      markRunIfAbandoned(state, isAlive);
      return ok({ runId, paths, started, state, input, signal });
    },
  });
}

class HeadFold {
  readonly #run = new RunFold();
  started: RunHead['started'] | undefined;
  input: JsonValue = null;
  signal: string | undefined;

  get state(): RunState | undefined {
    return this.#run.state;
  }

  apply(event: JournalEvent): void {
    this.#run.apply(event, event.type === 'step-ended' ? notedIn(event) : undefined);
    if (event.type === 'run-started') {
      this.started = event;
      this.input = event.input;
    } else if (event.type === 'run-resumed') this.input = event.input ?? this.input;
    else if (event.type === 'run-ended') this.signal = event.signal;
  }
}
