import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './secret-names.ts';

/** Whether it, or a workflow called in it, does something at its end whatever happened. */
export function hasFinally(definition: WorkflowDefinition): boolean {
  const inSteps = (steps: readonly Step[]): boolean =>
    steps.some(
      (step) => (step.type === 'call' && hasFinally(step.workflow)) || innerSteps(step).some(inSteps),
    );
  return definition.finally.length > 0 || inSteps(definition.steps);
}
