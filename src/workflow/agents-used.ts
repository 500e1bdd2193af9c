import type { Step, Text, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

type Adapter = WorkflowDefinition['providers'][string]['adapter'];

/** The agents that a run may start, including fallbacks. `instead`: the provider named by `--agent`. */
export function agentsUsed(definition: WorkflowDefinition, instead?: string): ReadonlySet<Adapter> {
  const adapters = new Set<Adapter>();
  const add = ({ providers }: WorkflowDefinition, name: string): void => {
    for (const each of [name, ...(providers[name]?.fallback ?? [])]) {
      const adapter = providers[each]?.adapter;
      if (adapter !== undefined) adapters.add(adapter);
    }
  };
  const visit = (workflow: WorkflowDefinition, steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.type === 'provider') add(workflow, instead ?? step.provider);
      for (const inner of innerSteps(step)) visit(step.type === 'call' ? step.workflow : workflow, inner);
    }
  };
  visit(definition, definition.steps);
  visit(definition, definition.finally);
  return adapters;
}

/** The folders besides the workspace that a run may start agents in. */
export function agentFolders(definition: WorkflowDefinition): readonly Text[] {
  const folders = new Set<Text>();
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.type === 'provider' && step.workingDir !== undefined) folders.add(step.workingDir);
      for (const inner of innerSteps(step)) visit(inner);
    }
  };
  visit(definition.steps);
  visit(definition.finally);
  return [...folders];
}
