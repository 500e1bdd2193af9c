import { holdsOthers, type RunState, type StateSteps, type StepState } from '../model/run-state.ts';
import { spanMs } from '../model/span.ts';

/** Marks running steps interrupted. */
export function markInterrupted(state: RunState, at: string): void {
  mark(state.steps, at, 'interrupted');
  for (const loop of Object.values(state.for_each)) loop.status ??= 'interrupted';
}

/** What was running in a stopped branch is cancelled. `steps`: those of the branch. */
export function cancelBranch(
  state: RunState,
  steps: StateSteps,
  { key, at }: { readonly key: string; readonly at: string },
): void {
  mark(steps, at, 'cancelled');
  for (const [name, loop] of Object.entries(state.for_each)) {
    if (name.startsWith(`${key.replace(/#\d+/g, '')}/`)) loop.status ??= 'cancelled';
  }
}

/** Nothing in a stopped branch is waited for any more. */
export function endWaits(state: RunState, key: string): void {
  for (const field of ['waiting_for', 'sleeping_until'] as const) {
    const open = Object.entries(state[field] ?? {});
    const left = open.filter(([each]) => !each.startsWith(`${key}/`));
    if (left.length === open.length) continue;
    if (left.length === 0) delete state[field];
    else Object.assign(state, { [field]: Object.fromEntries(left) });
  }
}

function mark(steps: StateSteps, at: string, status: 'interrupted' | 'cancelled'): void {
  eachStep(steps, (step) => {
    if (step.status !== 'running') return;
    step.status = status;
    step.completed_at = at;
    if (step.started_at !== undefined) step.duration_ms = spanMs(step.started_at, at);
  });
}

/** Containers of a resumed run are running again. A step restarts and has its own event. */
export function unmarkInterrupted(state: RunState): void {
  eachStep(state.steps, (step) => {
    if (step.status !== 'interrupted' || !holdsOthers(step)) return;
    step.status = 'running';
    delete step.completed_at;
    delete step.duration_ms;
  });
  for (const loop of Object.values(state.for_each)) if (loop.status === 'interrupted') delete loop.status;
}

function eachStep(steps: StateSteps, visit: (step: StepState) => void): void {
  for (const step of Object.values(steps)) {
    if (Array.isArray(step)) {
      for (const iteration of step) eachStep(iteration, visit);
      continue;
    }
    visit(step);
    for (const iteration of step.iterations ?? []) eachStep(iteration, visit);
    for (const branch of Object.values(step.branches ?? {})) eachStep(branch, visit);
    if (step.steps !== undefined) eachStep(step.steps, visit);
  }
}
