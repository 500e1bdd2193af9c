import { holdsOthers, type RunState, type StateSteps, type StepState } from '../model/run-state.ts';
import { spanMs } from '../model/span.ts';

/** Marks running steps interrupted. */
export function markInterrupted(state: RunState, at: string): void {
  eachStep(state.steps, (step) => {
    if (step.status !== 'running') return;
    step.status = 'interrupted';
    step.completed_at = at;
    if (step.started_at !== undefined) step.duration_ms = spanMs(step.started_at, at);
  });
  for (const loop of Object.values(state.for_each)) loop.status ??= 'interrupted';
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
