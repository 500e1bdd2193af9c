import type { StepSource } from '../../schema/step.ts';
import { type Check, stepsOf } from './rule.ts';

/** Names are unique in the whole file, so that `goto`, variables, state and logs refer to one step. */
export function checkStepNames(check: Check): void {
  const { places } = check.file;
  const first = new Map<string, { readonly container: object; readonly key: string }>();
  const claim = (container: object, key: string, name: string) => {
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, { container, key });
      return;
    }
    check.report.error('workflow/duplicate-step', places.valueRange(container, key), {
      message: `duplicate step name \`${name}\``,
      related: [
        { message: `\`${name}\` is defined here`, range: places.valueRange(earlier.container, earlier.key) },
      ],
      help: 'rename one of them; names must be unique in the whole file, including loops and branches',
    });
  };
  for (const { step } of stepsOf(check)) {
    if (step.name !== '') claim(step, 'name', step.name);
    if (step.call?.as !== undefined && step.call.as !== step.name) claim(step.call, 'as', step.call.as);
    checkBranches(check, step);
  }
}

function checkBranches(check: Check, step: StepSource): void {
  const { places } = check.file;
  const first = new Map<string, object>();
  for (const branch of step.parallel?.branches ?? []) {
    const earlier = first.get(branch.name);
    if (earlier === undefined) {
      first.set(branch.name, branch);
    } else if (branch.name !== '') {
      check.report.error('workflow/duplicate-branch', places.valueRange(branch, 'name'), {
        message: `duplicate branch name \`${branch.name}\` in step \`${step.name}\``,
        related: [
          { message: `\`${branch.name}\` is defined here`, range: places.valueRange(earlier, 'name') },
        ],
      });
    }
  }
}
