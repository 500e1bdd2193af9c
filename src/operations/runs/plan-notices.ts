import { loadNotify } from '../../workflow/load/load-file.ts';
import type { RunPlan } from '../run-plan.ts';

/** A plan that was recorded, with the notifications of its workflow: read from the file, in the folder in which it is carried out. */
export function withNotices(plan: RunPlan, onProblem: (problem: string) => void): RunPlan {
  const { notifyFile, workspace, notify } = plan;
  if (notify !== undefined || notifyFile === undefined) return plan;
  const found = loadNotify(workspace, notifyFile);
  if (found.length > 0) return { ...plan, notify: found };
  onProblem(
    `cannot notify: \`${notifyFile}\` is not among the files of run ${plan.runId}, or has no \`notify\``,
  );
  return plan;
}
