import { unreachable } from '../model/unreachable.ts';
import type { Step } from './definition.ts';

const NONE: readonly (readonly Step[])[] = [];

/** The lists of steps that a step contains. */
export function innerSteps(step: Step): readonly (readonly Step[])[] {
  switch (step.type) {
    case 'for-each':
    case 'repeat':
      return [step.steps];
    case 'parallel':
      return step.branches.map((branch) => branch.steps);
    case 'graph':
      return [step.nodes.map((node) => node.step)];
    case 'call':
      return [step.workflow.steps, step.workflow.finally];
    case 'command':
    case 'program':
    case 'provider':
    case 'wait':
    case 'approve':
    case 'break':
    case 'end':
      return NONE;
    default:
      return unreachable(step);
  }
}
