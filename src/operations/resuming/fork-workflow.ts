/** Plans a new run that reuses the results of another up to a step and runs the rest again. */
import { sharedBefore } from '../../engine/fork.ts';
import { timestampOf } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { RunWithEvents } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { calledPrograms, loadForRun } from '../workflows/load.ts';
import { inputAgain, inputOf, planNew } from '../workflows/plan-workflow.ts';
import { askedDifferently, unfitting } from './changed-files.ts';
import { replayWorkflow } from './replay-workflow.ts';

export async function forkWorkflow(
  site: Site,
  run: RunWithEvents,
  from: string,
): Promise<Result<Prepared, Problem>> {
  const { runId: source, events, state } = run;
  const shared = sharedBefore(events, from);
  if (shared === undefined) return error({ type: 'step-not-reached', runId: source, step: from });
  const before = inputOf(run);
  const { file } = before.definition;
  const loaded = await loadForRun(site, file, { context: before.context, isRecorded: true });
  if (loaded.type === 'error') return loaded;
  const { definition, programs, checksum } = loaded.value;
  const { completed } = changedSteps(before.definition, definition, shared);
  if (completed.length > 0)
    return error({ type: 'changed-before-fork', file, step: from, changed: completed });
  const runId = newRunId(site.workspace);
  const { programs: _, ...again } = inputAgain(site, before, { runId, definition });
  const input = { timestampUtc: timestampOf(source), ...again, ...calledPrograms(programs) };
  const mustCheck = state['workflow_checksum'] !== checksum || programs.length > 0;
  const { divergence, otherInputs } = mustCheck
    ? await replayWorkflow(site, { input, loaded: loaded.value, events: shared })
    : { otherInputs: [], divergence: undefined };
  if (divergence !== undefined) return error(unfitting(source, input, divergence));
  const planned = planNew(site, { input, loaded: loaded.value, fork: { from: source, shared } });
  const notes = askedDifferently(otherInputs);
  return planned.type === 'ok' && notes.length > 0 ? ok({ ...planned.value, notes }) : planned;
}
