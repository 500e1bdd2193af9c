import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

/** Patterns of files that git ignores and isolated work needs, of all steps. */
export function isolatedFiles(definition: WorkflowDefinition): readonly string[] {
  const patterns = new Set<string>();
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      for (const pattern of step.isolate?.include ?? []) patterns.add(pattern);
      for (const inner of innerSteps(step)) visit(inner);
    }
  };
  visit(definition.steps);
  visit(definition.finally);
  return [...patterns];
}
