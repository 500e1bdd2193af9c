import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

/** Every name under `secrets:`, including nested steps and called workflows. */
export function secretNames(definition: WorkflowDefinition): readonly string[] {
  const names = new Set<string>();
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      for (const name of step.secrets ?? []) names.add(name);
      for (const inner of innerSteps(step)) visit(inner);
    }
  };
  visit(definition.steps);
  visit(definition.finally);
  return [...names];
}
