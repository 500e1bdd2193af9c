import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

/** Whether the workflow, or one that it calls, has a `finally`. */
export function hasFinally(definition: WorkflowDefinition): boolean {
  return definition.finally.length > 0 || definition.steps.some(endsWithFinally);
}

function endsWithFinally(step: Step): boolean {
  if (step.type === 'call') return hasFinally(step.workflow);
  return innerSteps(step).some((steps) => steps.some(endsWithFinally));
}
