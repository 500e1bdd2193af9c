import { CODE_PROGRAM } from '../../code/input.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { withCodeApart } from '../code-apart.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { largeJournal } from '../runs/large-journal.ts';
import { readWholeRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { mayResume } from '../trust/own-run.ts';

export interface ForkRun {
  readonly run: string;
  /** First step to run again. */
  readonly from: string;
}

/** Plans a new run that reuses the results of another up to a step and runs the rest again. */
export function forkRun(site: Site, { run, from }: ForkRun): Promise<Result<Prepared, Problem>> {
  const reads = largeJournal(site, run);
  return withCodeApart(site, { operation: 'fork-run', asked: { run, from }, reads }, (here) =>
    forkHere(here, { run, from }),
  );
}

async function forkHere(site: Site, { run, from }: ForkRun): Promise<Result<Prepared, Problem>> {
  const read = readWholeRun(site, run);
  if (read.type === 'error') return read;
  const { runId, started } = read.value;
  if (started.kind !== 'workflow') return error({ type: 'cannot-fork', runId, runKind: started.kind });
  // Who trusts the database of the workers trusts the runs in it.
  const may = site.workers?.runs.has(runId) === true ? ok(undefined) : mayResume(site, read.value);
  if (may.type === 'error') return may;
  if (started.program === CODE_PROGRAM)
    return (await import('./resume-code.ts')).forkCode(site, read.value, from);
  return (await import('./fork-workflow.ts')).forkWorkflow(site, read.value, from);
}
