/**
 * Runs one step again. A step that failed or was interrupted runs again in its run, which is resumed. One that has completed, or whose failure
 * was caught or allowed, runs again in a fork, with all that follow it: a recorded result is never replaced.
 */
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import { JournalTail } from '../../store/journal-tail.ts';
import type { RunPaths } from '../../store/layout.ts';
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
  const isFork = !(await isRetriedByResuming(run, step));
  const prepared = isFork
    ? await forkRun(site, { run: found.value, from: step })
    : await resumeRun(site, { run: found.value });
  return prepared.type === 'ok' ? ok({ prepared: prepared.value, isFork }) : prepared;
}

async function isRetriedByResuming({ paths, state, index }: LiveRun, step: string): Promise<boolean> {
  if (state?.status !== 'failed' && state?.status !== 'interrupted') return false;
  const status = index.row(step)?.status;
  if (status === 'failed') return !(await isRecorded(paths, step));
  return status === 'interrupted' || status === 'running';
}

/** It failed, but not the run with it: a resume answers with the failure that is recorded. */
async function isRecorded({ journal }: RunPaths, step: string): Promise<boolean> {
  let retried: readonly StepKey[] | undefined;
  await new JournalTail(journal).read((event) => {
    if (event.type !== 'run-ended') return;
    const keys = isJsonObject(event.output) ? event.output['retryKeys'] : undefined;
    retried = event.status === 'failed' && Array.isArray(keys) ? (keys as readonly StepKey[]) : undefined;
  });
  if (retried === undefined) return false;
  return !retried.some((key) => {
    const owner = ownerOf(key);
    return owner === step || step.startsWith(`${owner}/`) || owner.startsWith(`${step}/`);
  });
}
