import type { Step, WorkflowDefinition } from './definition.ts';

/** Every name under `secrets:`, in nested steps and called workflows too. */
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

/** The lists of steps that a step holds. */
export function innerSteps(step: Step): readonly (readonly Step[])[] {
  switch (step.type) {
    case 'for-each':
    case 'repeat':
      return [step.steps];
    case 'parallel':
      return step.branches.map((branch) => branch.steps);
    case 'call':
      return [step.workflow.steps, step.workflow.finally];
    case 'command':
    case 'provider':
    case 'wait':
    case 'approve':
      return [];
  }
}
