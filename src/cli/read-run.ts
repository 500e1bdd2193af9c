import { StateFold } from '../engine/fold-state.ts';
import { lastInput } from '../engine/last-input.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { RunState } from '../model/run-state.ts';
import { readJournal } from '../store/journal-file.ts';
import { runPaths } from '../store/layout.ts';
import type { WorkflowInput } from '../workflow/program.ts';
import type { CliContext } from './context.ts';
import { tellDamage } from './describe-damage.ts';

/** A run as its journal tells it, read without touching a byte. */
export interface ReadRun {
  readonly runId: RunId;
  readonly events: readonly JournalEvent[];
  readonly started: Extract<JournalEvent, { type: 'run-started' }>;
  readonly state: RunState;
}

/** Undefined when it cannot be read; why has been said. */
export function readRunOrTell(context: CliContext, runId: RunId): ReadRun | undefined {
  const journal = readJournal(runPaths(context.workspace, runId).journal);
  if (journal.type === 'error') {
    context.err(tellDamage(runId, journal.error));
    return undefined;
  }
  const { events } = journal.value;
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  const started = events.find((event) => event.type === 'run-started');
  if (started === undefined || fold.state === undefined) {
    context.err(`error: run \`${runId}\` was killed before it began\nhelp: start it again\n`);
    return undefined;
  }
  return { runId, events, started, state: fold.state };
}

/** A workflow as it was started, or as a change of it was last accepted. */
export function currentInput(run: ReadRun): WorkflowInput {
  return lastInput(run.events) as unknown as WorkflowInput;
}
