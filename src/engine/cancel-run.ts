import type { JournalEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { holderText } from '../store/describe-held.ts';
import { openJournal } from '../store/journal-file.ts';
import { runPaths } from '../store/layout.ts';
import { acquireLock } from '../store/lock.ts';
import { StateFold } from './fold-state.ts';
import { StateFile } from './state-file.ts';

/** Records the cancellation of a run that no process is running. */
export async function cancelRun(workspace: string, runId: RunId): Promise<Result<void, string>> {
  const paths = runPaths(workspace, runId);
  const locked = acquireLock(paths.lock);
  if (locked.type === 'error') return error(`the run was just picked up by ${holderText(locked.error)}`);
  try {
    const fold = new StateFold();
    const opened = openJournal(paths.journal, {
      visit: (event) => fold.apply(event),
      detail: 'essential',
    });
    if (opened.type === 'error') return error(opened.error.message);
    const { journal } = opened.value;
    const ended: JournalEvent = {
      type: 'run-ended',
      at: new Date().toISOString(),
      status: 'cancelled',
      failure: { type: 'cancelled' },
    };
    await journal.append(ended);
    journal.close();
    fold.apply(ended);
    const { state } = fold;
    if (state !== undefined) new StateFile(paths.state, () => ({ state, journal: journal.mark })).writeNow();
    return ok(undefined);
  } finally {
    locked.value.release();
  }
}
