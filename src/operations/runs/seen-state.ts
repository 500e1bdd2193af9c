import { markInterrupted } from '../../engine/mark-interrupted.ts';
import { interruptedCalls } from '../../engine/spending.ts';
import type { RunState } from '../../model/run-state.ts';

/** In every view, a run that is recorded as running and whose process is gone was interrupted when it recorded something last. */
export function markIfAbandoned(state: RunState, isAlive: boolean): void {
  if (state.status !== 'running' || isAlive) return;
  markInterrupted(state, state.updated_at);
  markRunIfAbandoned(state, isAlive);
}

/** For a list, which shows no steps. */
export function markRunIfAbandoned(state: RunState, isAlive: boolean): void {
  if (state.status !== 'running' || isAlive) return;
  Object.assign(state, abandoned(state));
  delete state.open_calls;
}

/** A run that is recorded as running and whose process is gone, as lists show it. */
export function abandoned(state: RunState): RunState {
  const { open_calls: _open, ...rest } = state;
  return { ...rest, ...interruptedCalls(state), status: 'interrupted', current_step: null } as RunState;
}

/** Whether it was interrupted without recording it: its process was killed, or the machine went down. */
export function isAbandoned({ status, completed_at }: RunState): boolean {
  return status === 'interrupted' && completed_at === undefined;
}
