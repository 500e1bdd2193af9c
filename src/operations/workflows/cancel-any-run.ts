/** Cancels a run, whoever carries it out. Every door does it like this, so that no `finally` is left out. */
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { endUnowned, type RunCancelled } from '../runs/cancel-run.ts';
import { askAnyToEnd } from '../runs/change-on-workers.ts';
import { readWholeRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { planFinally } from './plan-finally.ts';

export type Cancelled =
  | {
      readonly type: 'cancelled';
      readonly cancelled: RunCancelled;
      /** It has `finally` steps, but the user did not start it on this machine. */
      readonly skipsFinally: boolean;
    }
  /** No process owns it. Carrying out the plan runs its `finally` steps and ends it. */
  | { readonly type: 'finally-planned'; readonly prepared: Prepared };

export async function cancelAnyRun(site: Site, asked: string): Promise<Result<Cancelled, Problem>> {
  const found = await askAnyToEnd(site, asked);
  if (found.type === 'error') return found;
  if (found.value.type !== 'unowned')
    return ok({ type: 'cancelled', cancelled: found.value, skipsFinally: false });
  const read = readWholeRun(site, found.value.runId);
  if (read.type === 'error') return read;
  const run = read.value;
  const last = planFinally(site, run);
  if (last !== 'foreign' && last !== 'nothing') return ok({ type: 'finally-planned', prepared: last });
  const ended = await endUnowned(site, run);
  if (ended.type === 'error') return ended;
  return ok({ type: 'cancelled', cancelled: ended.value, skipsFinally: last === 'foreign' });
}
