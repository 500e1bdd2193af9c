import type { StepKey } from '../model/ids.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';

/** Every step of a workflow by its name, including loops and branches; steps of a called workflow as `Call/Name`. */
export function stepsByPath(definition: WorkflowDefinition): ReadonlyMap<string, Step> {
  const found = new Map<string, Step>();
  const visit = (steps: readonly Step[], prefix: string): void => {
    for (const step of steps) {
      found.set(prefix + step.name, step);
      visit(directSteps(step), prefix);
      if (step.type === 'call') visit(calledSteps(step.workflow), `${prefix}${step.name}/`);
    }
  };
  visit(calledSteps(definition), '');
  return found;
}

/** `Loop/0/Call/Fix#2` → `Call/Fix`: the step, as `stepsByPath` names it, that a key belongs to. Undefined for calls of a program in code. */
export function stepPathOf(definition: WorkflowDefinition, key: StepKey): string | undefined {
  const segments = key.split('/').map((segment) => segment.split(/[#@]/, 1)[0] ?? '');
  let level = calledSteps(definition);
  let prefix = '';
  for (let at = 0; at < segments.length; at += 1) {
    const step = level.find(({ name }) => name === segments[at]);
    if (step === undefined) return undefined;
    if (at === segments.length - 1) return prefix + step.name;
    if (step.type === 'program') return undefined;
    if (step.type === 'call') {
      prefix = `${prefix}${step.name}/`;
      level = calledSteps(step.workflow);
    } else {
      // The next segment is a number or the name of a branch.
      at += 1;
      level = directSteps(step);
      if (at === segments.length - 1) return prefix + step.name;
    }
  }
  return undefined;
}

/** Without the steps of a called workflow, which have separate names. */
function directSteps(step: Step): readonly Step[] {
  return step.type === 'call' ? [] : innerSteps(step).flat();
}

function calledSteps(definition: WorkflowDefinition): readonly Step[] {
  return [...definition.steps, ...definition.finally];
}
