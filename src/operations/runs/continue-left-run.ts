import type { RunId } from '../../model/ids.ts';
import { ok, type Result } from '../../model/result.ts';
import type { NotTrusted, ReadRunProblem } from '../problem.ts';
import type { Prepared, RunKind } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { mayResume } from '../trust/own-run.ts';
import { readWholeRunById } from './read-run.ts';

export interface LeftRun {
  readonly runId: RunId;
  /** A run of another program is not the one that was meant. */
  readonly program: string;
}

export type ContinuedRun =
  | (Prepared & { readonly type: 'left' })
  /** There is nothing to continue. */
  | { readonly type: 'none' }
  /** Whether there is cannot be told. */
  | { readonly type: 'unreadable'; readonly problem: ReadRunProblem };

/**
 * Where a run was to be started and another was left: the plan to resume that one if its process died, was interrupted or waits. A second
 * run beside it would leave what the dead one started at work.
 */
export function continueLeftRun(site: Site, { runId, program }: LeftRun): Result<ContinuedRun, NotTrusted> {
  const read = readWholeRunById(site, runId);
  if (read.type === 'error') return ok({ type: 'unreadable', problem: read.error });
  const { started, state } = read.value;
  const isUnfinished =
    started.program === program && ['running', 'interrupted', 'waiting'].includes(state.status);
  if (!isUnfinished) return ok({ type: 'none' });
  const may = mayResume(site, read.value);
  if (may.type === 'error') return may;
  const { kind, title } = started;
  const { workspace } = site;
  const begin = { type: 'resume' } as const;
  return ok({
    type: 'left',
    plan: { runId, workspace, kind: kind as RunKind, title, begin, secrets: [] },
  });
}
