/** Plans a new run that reuses the results of another up to a step and runs the rest again. */
import { sharedBefore } from '../../engine/fork.ts';
import { timestampOf } from '../../model/ids.ts';
import { error, type Result } from '../../model/result.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { RunWithEvents } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { loadForRun } from './load.ts';
import { inputAgain, inputOf, planNew } from './plan-workflow.ts';

export function forkWorkflow(site: Site, run: RunWithEvents, from: string): Result<Prepared, Problem> {
  const { runId: source, events } = run;
  const shared = sharedBefore(events, from);
  if (shared === undefined) return error({ type: 'step-not-reached', runId: source, step: from });
  const before = inputOf(run);
  const { file } = before.definition;
  const loaded = loadForRun(site, file, { context: before.context, isRecorded: true });
  if (loaded.type === 'error') return loaded;
  const { definition } = loaded.value;
  const { completed } = changedSteps(before.definition, definition, shared);
  if (completed.length > 0)
    return error({ type: 'changed-before-fork', file, step: from, changed: completed });
  const runId = newRunId(site.workspace);
  return planNew(site, {
    input: { timestampUtc: timestampOf(source), ...inputAgain(site, before, { runId, definition }) },
    loaded: loaded.value,
    fork: { from: source, shared },
  });
}
