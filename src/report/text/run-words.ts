/** The wording for a run as a whole, in every view. */

import { countText, numberText } from '../../model/amounts.ts';
import type { RunState, Totals } from '../../model/run-state.ts';

/** How long processes have worked on the run, up to now if one still does. */
export function runMs(run: RunState, at: { readonly now: number; readonly isAlive: boolean }): number {
  const open = run.status === 'running' && at.isAlive ? at.now - Date.parse(run.updated_at) : 0;
  return run.duration_ms + Math.max(0, open);
}

/** `5 steps: 4 done, 1 failed`. */
export function stepsText(counts: {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled?: number;
}): string {
  const { completed, failed, skipped, cancelled = 0 } = counts;
  const parts = [
    [completed, 'done'],
    [failed, 'failed'],
    [skipped, 'skipped'],
    [cancelled, 'cancelled'],
  ] as const;
  const steps = countText(completed + failed + skipped + cancelled, 'step');
  if (failed + skipped + cancelled === 0) return steps;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${numberText(count)} ${word}`);
  return `${steps}: ${said.join(', ')}`;
}

/** The status in words. A process that was killed has recorded no end. */
export function statusText({ status, completed_at, queued }: RunState, isAlive: boolean): string {
  if (queued === true && status === 'running') return 'queued (no worker has taken it yet)';
  const isKilled =
    (status === 'running' && !isAlive) || (status === 'interrupted' && completed_at === undefined);
  return isKilled ? 'interrupted (process ended)' : status;
}

export function countsOf(totals: Totals): Parameters<typeof stepsText>[0] {
  return {
    completed: totals.steps_completed,
    failed: totals.steps_failed,
    skipped: totals.steps_skipped,
    cancelled: totals.steps_cancelled ?? 0,
  };
}
