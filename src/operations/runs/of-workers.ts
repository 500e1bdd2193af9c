import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';

/** Whether workers carry out the run: its journal is in their database, and the file in its folder is a copy. */
export function isOfWorkers({
  facts,
}: Pick<Extract<JournalEvent, { type: 'run-started' }>, 'facts'>): boolean {
  return facts['engine'] !== undefined;
}

/** Nothing on this machine alone may change it. */
export interface OfWorkersProblem {
  readonly type: 'run-of-workers';
  readonly runId: RunId;
}
