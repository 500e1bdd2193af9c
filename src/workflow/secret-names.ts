import { secretsOfTools } from '../model/agent-tools.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

/** Every name under `secrets:`, of steps and of MCP servers, including nested steps and called workflows. */
export function secretNames(definition: WorkflowDefinition): readonly string[] {
  const names = new Set<string>();
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      for (const name of step.secrets ?? []) names.add(name);
      if (step.type === 'provider') for (const name of secretsOfTools(step.tools)) names.add(name);
      if (step.type === 'call') for (const name of secretNames(step.workflow)) names.add(name);
      else for (const inner of innerSteps(step)) visit(inner);
    }
  };
  for (const { tools } of Object.values(definition.providers))
    for (const name of secretsOfTools(tools)) names.add(name);
  visit(definition.steps);
  visit(definition.finally);
  return [...names];
}
