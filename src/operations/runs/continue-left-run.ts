import type { RunHistory } from '../../engine/run-history.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import type { NotTrusted, ReadRunProblem } from '../problem.ts';
import type { Prepared, RunKind } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { mayResume } from '../trust/own-run.ts';
import { isOfWorkers, onWorkersIf } from './of-workers.ts';
import { readRunToResumeById } from './read-run.ts';

export interface LeftRun {
  readonly runId: RunId;
  /** A run of another program is ignored. */
  readonly program: string;
}

export type ContinuedRun =
  | (Prepared & {
      readonly type: 'left';
      readonly history: RunHistory;
      readonly milestones: readonly JournalEvent[];
      readonly input: JsonValue;
      readonly isAsking: boolean;
    })
  /** There is no unfinished run. */
  | { readonly type: 'none' }
  /** The run cannot be read. */
  | { readonly type: 'unreadable'; readonly problem: ReadRunProblem };

/**
 * Plans to resume an unfinished run instead of starting a new one, if its process died, was interrupted or is waiting. Otherwise processes
 * of the dead run would keep working beside the new run.
 */
export function continueLeftRun(site: Site, { runId, program }: LeftRun): Result<ContinuedRun, NotTrusted> {
  const earlier: JournalEvent[] = [];
  const read = readRunToResumeById(site, runId, (event) => earlier.push(event));
  if (read.type === 'error') return ok({ type: 'unreadable', problem: read.error });
  const { started, state, history, milestones } = read.value;
  const isUnfinished =
    started.program === program && ['running', 'interrupted', 'waiting'].includes(state.status);
  if (!isUnfinished) return ok({ type: 'none' });
  const may = isOfWorkers(started) ? ok(undefined) : mayResume(site, read.value);
  if (may.type === 'error') return may;
  const { kind, title } = started;
  const { workspace } = site;
  const begin = { type: 'resume' } as const;
  return ok({
    type: 'left',
    input: started.input,
    isAsking: Object.keys(state.waiting_for ?? {}).length > 0,
    plan: {
      ...{ runId, workspace, kind: kind as RunKind, title, begin, secrets: [] },
      ...onWorkersIf(started),
    },
    history,
    milestones,
    earlier,
  });
}
