/**
 * What is known of a run as a whole, for those who need none of its steps: its journal is read once, and nothing of it is kept. A process on
 * which others depend reads it in slices, and answers them meanwhile.
 */
import { RunFold } from '../../engine/fold-run.ts';
import type { JournalEvent } from '../../model/event.ts';
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
  const place = placeOf(site, asked);
  if (place.type === 'error') return place;
  const fold = new HeadFold();
  const { journal } = place.value.paths;
  const read = visitJournal(journal, { visit: (event) => fold.apply(event), detail: 'indexed' });
  return headOf(place.value, fold, read.type === 'error' ? read.error : undefined);
}

/** The same, while others are answered. */
export async function readRunHeadInSlices(
  site: OfRuns,
  asked: string,
): Promise<Result<RunHead, ReadRunProblem>> {
  const place = placeOf(site, asked);
  return place.type === 'error' ? place : readInSlices(place.value);
}

/** The same for a run that has no process, whatever its lock says. */
export function readLeftRun(
  place: Pick<RunHead, 'runId' | 'paths'>,
): Promise<Result<RunHead, ReadRunProblem>> {
  return readInSlices({ ...place, isAlive: false });
}

interface RunPlace extends Pick<RunHead, 'runId' | 'paths'> {
  readonly isAlive: boolean;
}

function placeOf(site: OfRuns, asked: string): Result<RunPlace, ReadRunProblem> {
  const found = findRun(site, asked);
  if (found.type === 'error') return found;
  const source = sourceOf(site);
  // Before its journal is read: a run that ends meanwhile must not look interrupted.
  const isAlive = source.isAlive(found.value);
  return ok({ runId: found.value, paths: source.pathsOf(found.value), isAlive });
}

async function readInSlices(place: RunPlace): Promise<Result<RunHead, ReadRunProblem>> {
  const fold = new HeadFold();
  const read = await new JournalTail(place.paths.journal, 'indexed').read((event) => fold.apply(event));
  return headOf(place, fold, read.type === 'damaged' ? read.damage : undefined);
}

function headOf(
  { runId, paths, isAlive }: RunPlace,
  { started, state, input, signal }: HeadFold,
  damage: JournalDamage | undefined,
): Result<RunHead, ReadRunProblem> {
  if (damage !== undefined) return error({ type: 'damaged-run', runId, damage });
  if (started === undefined || state === undefined) return error({ type: 'unbegun-run', runId });
  markRunIfAbandoned(state, isAlive);
  return ok({ runId, paths, started, state, input, signal });
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
