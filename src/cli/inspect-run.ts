import { StateFold } from '../engine/fold-state.ts';
import { markInterrupted } from '../engine/mark-interrupted.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { RunState } from '../model/run-state.ts';
import { readJournal } from '../store/journal-file.ts';
import { type RunPaths, runPaths } from '../store/layout.ts';
import { isHeld, readLock } from '../store/lock-file.ts';
import type { CliContext } from './context.ts';
import { tellDamage } from './describe-damage.ts';
import { EXIT } from './exit-codes.ts';
import { findRunOrTell } from './find-run.ts';

/** A run as its journal tells it, as far as it can be read; looked at without touching a byte (J6). */
export interface InspectedRun {
  readonly runId: RunId;
  readonly paths: RunPaths;
  readonly events: readonly JournalEvent[];
  readonly state: RunState;
  readonly isAlive: boolean;
}

/** Undefined when there is nothing to look at. What is wrong has been said, and stands in `context.exitCode`. */
export function inspectRunOrTell(context: CliContext, text: string): InspectedRun | undefined {
  const runId = findRunOrTell(context, text);
  if (runId === undefined) {
    context.exitCode = EXIT.usage;
    return undefined;
  }
  const paths = runPaths(context.workspace, runId);
  const journal = readJournal(paths.journal);
  const events = journal.type === 'ok' ? journal.value.events : readable(journal.error);
  if (journal.type === 'error') {
    context.exitCode = EXIT.failed;
    context.err(tellDamage(runId, journal.error));
  } else if (journal.value.tornBytes > 0 && !isRunAlive(paths)) {
    context.err(
      `note: the last ${journal.value.tornBytes} bytes of the journal are an unfinished record; \`orchestrate resume ${runId}\` cuts them off\n`,
    );
  }
  const state = foldEvents(events);
  if (state === undefined) {
    context.exitCode = EXIT.failed;
    if (journal.type === 'ok') context.err(`error: run \`${runId}\` was cut off before it began\n`);
    return undefined;
  }
  const isAlive = isRunAlive(paths);
  if (state.status === 'running' && !isAlive) markInterrupted(state, state.updated_at);
  return { runId, paths, events, state, isAlive };
}

export function foldEvents(events: readonly JournalEvent[]): RunState | undefined {
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  return fold.state;
}

/** Whether a process owns it that lives, or may live on another machine. */
export function isRunAlive(paths: RunPaths): boolean {
  const lock = readLock(paths.lock);
  return lock !== undefined && isHeld(lock);
}

function readable(damage: object): readonly JournalEvent[] {
  return 'before' in damage ? (damage.before as readonly JournalEvent[]) : [];
}
