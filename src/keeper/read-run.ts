/** What the keeper needs to know of a run, read from its journal in slices: the server that keeps it answers others meanwhile. */
import { RunFold } from '../engine/fold-run.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { notedIn } from '../model/noted.ts';
import type { RunState } from '../model/run-state.ts';
import { JournalTail } from '../store/journal-tail.ts';
import type { RunPaths } from '../store/layout.ts';

export interface KeptRun {
  /** Without its steps. */
  readonly state: RunState;
  /** That ended its last process, if it recorded it. */
  readonly signal: string | undefined;
  /** Its workflow says that its runs are not taken up. */
  readonly isNeverKept: boolean;
}

/** Undefined if the journal is damaged, or the run was interrupted before it started. */
export async function readKeptRun({ journal }: Pick<RunPaths, 'journal'>): Promise<KeptRun | undefined> {
  const fold = new RunFold();
  let input: JsonValue | undefined;
  let signal: string | undefined;
  const read = await new JournalTail(journal, 'indexed').read((event) => {
    fold.apply(event, event.type === 'step-ended' ? notedIn(event) : undefined);
    if (event.type === 'run-ended') signal = event.signal;
    if (event.type === 'run-started' || event.type === 'run-resumed') input = event.input ?? input;
  });
  const { state } = fold;
  if (read.type !== 'read' || state === undefined) return undefined;
  return { state, signal, isNeverKept: isNeverKept(input) };
}

function isNeverKept(input: JsonValue | undefined): boolean {
  // A workflow in code has no definition.
  const { definition = input } = isJsonObject(input) ? input : {};
  return isJsonObject(definition) && definition['keep'] === 'never';
}
