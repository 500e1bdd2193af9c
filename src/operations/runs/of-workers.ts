import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { readFirstRecord } from '../../store/journal-file.ts';
import type { RunPlan } from '../run-plan.ts';
import { findRun } from './find-run.ts';
import { type OfRuns, sourceOf } from './run-source.ts';

/** Whether workers carry out the run: its journal is in their database, and the file in its folder is a copy. */
export function isOfWorkers({
  facts,
}: Pick<Extract<JournalEvent, { type: 'run-started' }>, 'facts'>): boolean {
  return facts['engine'] !== undefined;
}

/** The same for a run that is asked for; false if there is none. */
export function isRunOfWorkers(site: OfRuns, asked: string): boolean {
  const found = findRun(site, asked);
  if (found.type === 'error') return false;
  const first = readFirstRecord(sourceOf(site).pathsOf(found.value).journal);
  return first?.type === 'run-started' && isOfWorkers(first);
}

/** The part of a plan that resumes the run. */
export function onWorkersIf(started: Parameters<typeof isOfWorkers>[0]): Pick<RunPlan, 'onWorkers'> {
  return isOfWorkers(started) ? { onWorkers: true } : {};
}

/** Nothing on this machine alone may change it. */
export interface OfWorkersProblem {
  readonly type: 'run-of-workers';
  readonly runId: RunId;
}
