import { choice, list } from '../../../store/yaml/shape/describe-shape.ts';
import { STEP_KINDS, type StepKindKey, type StepSource } from '../../schema/step.ts';
import { hasPrompt } from '../apply-defaults.ts';
import { type Check, called, stepsOf } from './rule.ts';

const PROVIDER_HELP =
  'name the agent that gets the prompt, such as `provider: claude`, in the step or for all such steps in `defaults`';

/** A step does exactly one thing; `command_override` together with `provider` counts as one. */
export function checkStepKinds(check: Check): void {
  for (const { step } of stepsOf(check)) {
    const kinds = kindsOf(step);
    if (kinds.length === 1 || isOverride(kinds)) continue;
    const [first, second] = kinds;
    if (first === undefined || second === undefined) {
      if (!check.file.places.isWhole(step)) continue;
      check.report.error('workflow/step-kind', check.file.places.keyRange(step, 'name'), {
        ...(hasPrompt(step)
          ? { message: `${called(step)} has a prompt, but no agent`, help: PROVIDER_HELP }
          : {
              message: `${called(step)} has nothing to do`,
              help: `add one of ${choice(STEP_KINDS)}`,
            }),
      });
      continue;
    }
    check.report.error('workflow/step-kind', check.file.places.keyRange(step, second), {
      message: `${called(step)} has ${list(kinds)}, but a step does only one thing`,
      related: [{ message: `\`${first}\` is here`, range: check.file.places.keyRange(step, first) }],
      help: 'split it into several steps',
    });
  }
}

export function kindsOf(step: StepSource): readonly StepKindKey[] {
  return STEP_KINDS.filter((kind) => step[kind] !== undefined);
}

function isOverride(kinds: readonly StepKindKey[]): boolean {
  return kinds.length === 2 && kinds[0] === 'provider' && kinds[1] === 'command_override';
}
