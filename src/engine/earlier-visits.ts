import { defined } from '../model/defined.ts';
import type { LoopState, StepState } from '../model/run-state.ts';

/** On a revisit, shows the current visit and keeps the earlier ones. */
export function visitAgain(step: StepState, visit: number): void {
  const { status, exit_code, outcome, started_at, duration_ms, attempts, error } = step;
  const { cost_usd, unknown_cost_calls } = step;
  const earlier = {
    status,
    ...defined({ exit_code, outcome, started_at, duration_ms, attempts, cost_usd, unknown_cost_calls }),
    ...(error === undefined ? {} : { error: { message: error.message, type: error.type } }),
  };
  // Not copied: there may be any number of visits (J3).
  const visits = step.earlier_visits ?? [];
  visits.push(earlier);
  for (const field of Object.keys(step)) delete step[field as keyof StepState];
  Object.assign(step, { status: 'running', visits: visit, earlier_visits: visits });
}

export function loopVisit(old: LoopState, visit: number): Pick<LoopState, 'visits' | 'earlier_visits'> {
  const { status, started_at, duration_ms, error } = old;
  const earlier = {
    ...defined({ status, started_at, duration_ms }),
    items: old.items_left_out ?? old.items.length,
    items_completed: old.completed_indices.length,
    ...(error === undefined ? {} : { error: { message: error.message, type: error.type } }),
  };
  const visits = old.earlier_visits ?? [];
  visits.push(earlier);
  return { visits: visit, earlier_visits: visits };
}
