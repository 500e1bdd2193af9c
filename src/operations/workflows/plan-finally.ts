import { hasFinally } from '../../workflow/has-finally.ts';
import { WORKFLOW_PROGRAM } from '../../workflow/run/program.ts';
import { planOfRun } from '../definitions/plan-run.ts';
import type { Prepared } from '../run-plan.ts';
import type { RunWithEvents } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { isOwn } from '../trust/own-run.ts';
import { definitionOf, inputOf } from './plan-workflow.ts';

/** Plans the `finally` steps of a cancelled run that has no process. `foreign` if the user did not start the run on this machine. */
export function planFinally(site: Site, run: RunWithEvents): Prepared | 'nothing' | 'foreign' {
  if (run.started.program !== WORKFLOW_PROGRAM) return 'nothing';
  const input = inputOf(run);
  if (!hasFinally(input.definition)) return 'nothing';
  if (!isOwn(site, run)) return 'foreign';
  return {
    plan: {
      ...planOfRun(site, definitionOf(input), input),
      title: run.started.title,
      begin: { type: 'resume' },
      isCancelled: true,
    },
    earlier: run.events,
  };
}
