/**
 * Runs one step again. A step that failed or was interrupted runs again in its run, which is resumed. One that has completed runs again in a
 * fork, with all that follow it: a recorded result is never replaced.
 */
import { ok, type Result } from '../../model/result.ts';
import { LiveRun } from '../live/live-run.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { findRun } from '../runs/find-run.ts';
import type { Site } from '../site.ts';
import { forkRun } from './fork-run.ts';
import { resumeRun } from './resume-run.ts';

export interface RetryStep {
  readonly run: string;
  /** Its key. */
  readonly step: string;
}

export interface StepRetried {
  readonly prepared: Prepared;
  readonly isFork: boolean;
}

export async function retryStep(
  site: Site,
  { run: asked, step }: RetryStep,
): Promise<Result<StepRetried, Problem>> {
  const found = findRun(site, asked);
  if (found.type === 'error') return found;
  const run = new LiveRun(site, found.value);
  await run.refresh();
  const isFork = !isRetriedByResuming(run, step);
  const prepared = isFork
    ? await forkRun(site, { run: found.value, from: step })
    : await resumeRun(site, { run: found.value });
  return prepared.type === 'ok' ? ok({ prepared: prepared.value, isFork }) : prepared;
}

function isRetriedByResuming({ state, index }: LiveRun, step: string): boolean {
  if (state?.status !== 'failed' && state?.status !== 'interrupted') return false;
  const status = index.row(step)?.status;
  return status === 'failed' || status === 'interrupted' || status === 'running';
}
