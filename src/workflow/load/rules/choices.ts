import { choice } from '../../../store/yaml/shape/describe-shape.ts';
import { DEFAULT_CHOICES } from '../../definition.ts';
import type { StepSource } from '../../schema/step.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** Checks the default of an approval, and keys that exclude each other. */
export function checkChoices(check: Check): void {
  const { places } = check.file;
  for (const { step } of stepsOf(check)) {
    const { approve, for_each: loop, parallel } = step;
    const choices = approve?.choices ?? (approve?.fields === undefined ? DEFAULT_CHOICES : []);
    if (approve?.default !== undefined && !choices.includes(approve.default)) {
      check.report.error('workflow/default-not-a-choice', places.valueRange(approve, 'default'), {
        message:
          choices.length === 0
            ? `the default of ${called(step)} is \`${approve.default}\`, but the step has no \`choices\``
            : `the default of ${called(step)} is \`${approve.default}\`, but it must be ${choice(choices)}`,
      });
    }
    if (approve?.default !== undefined && approve.timeout_sec === undefined) {
      check.report.warning('workflow/no-effect', places.keyRange(approve, 'default'), {
        message: `the default of ${called(step)} is never used, because the step has no timeout`,
        help: 'add `timeout_sec`',
      });
    }
    if (loop?.matrix !== undefined) {
      for (const key of ['items_from', 'items'] as const) {
        if (loop[key] === undefined) continue;
        check.report.error('workflow/conflicting-keys', places.keyRange(loop, key), {
          message: `\`for_each\` has both \`matrix\` and \`${key}\`, but only one is allowed`,
        });
      }
    } else if (loop !== undefined)
      oneOfTwo(check, { container: loop, owner: 'for_each', keys: ['items_from', 'items'] });
    if (parallel !== undefined) {
      oneOfTwo(check, { container: parallel, owner: 'parallel', keys: ['steps', 'branches'] });
    }
    notBoth(check, step, ['continue_from', 'fork_from']);
    notBoth(check, step, ['prompt', 'input_file']);
  }
}

function notBoth(
  check: Check,
  step: StepSource,
  [first, second]: readonly [keyof StepSource, keyof StepSource],
): void {
  if (step[first] === undefined || step[second] === undefined) return;
  check.report.error('workflow/conflicting-keys', check.file.places.keyRange(step, second), {
    message: `${called(step)} has both \`${first}\` and \`${second}\`, but only one is allowed`,
  });
}

function oneOfTwo(
  check: Check,
  where: {
    readonly container: { readonly [key: string]: unknown } | object;
    readonly owner: string;
    readonly keys: readonly [string, string];
  },
): void {
  const { container, owner, keys } = where;
  const [first, second] = keys;
  const has = (key: string) => Reflect.get(container, key) !== undefined;
  if (has(first) !== has(second)) return;
  if (!has(first) && !check.file.places.isWhole(container)) return;
  check.report.error('workflow/conflicting-keys', check.file.places.keyRange(container, second), {
    message: has(first)
      ? `\`${owner}\` has both \`${first}\` and \`${second}\`, but only one is allowed`
      : `\`${owner}\` needs \`${first}\` or \`${second}\``,
  });
}
