import { choice } from '../../../store/yaml/shape/describe-shape.ts';
import { DEFAULT_CHOICES } from '../../definition.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** Of an approval, and of keys that exclude each other. */
export function checkChoices(check: Check): void {
  const { places } = check.file;
  for (const { step } of stepsOf(check)) {
    const { approve, for_each: loop, parallel } = step;
    const choices = approve?.choices ?? DEFAULT_CHOICES;
    if (approve?.default !== undefined && !choices.includes(approve.default)) {
      check.report.error('workflow/default-not-a-choice', places.valueRange(approve, 'default'), {
        message: `the default of ${called(step)} is \`${approve.default}\`, and the choices are ${choice(choices)}`,
      });
    }
    if (approve?.default !== undefined && approve.timeout_sec === undefined) {
      check.report.warning('workflow/no-effect', places.keyRange(approve, 'default'), {
        message: `the default of ${called(step)} is never taken, because it waits without end`,
        help: 'add `timeout_sec`',
      });
    }
    if (loop !== undefined)
      oneOfTwo(check, { container: loop, owner: 'for_each', keys: ['items_from', 'items'] });
    if (parallel !== undefined) {
      oneOfTwo(check, { container: parallel, owner: 'parallel', keys: ['steps', 'branches'] });
    }
    if (step.continue_from !== undefined && step.fork_from !== undefined) {
      check.report.error('workflow/conflicting-keys', places.keyRange(step, 'fork_from'), {
        message: `${called(step)} has \`continue_from\` and \`fork_from\`, and a conversation begins in one way`,
      });
    }
  }
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
      ? `\`${owner}\` has \`${first}\` and \`${second}\`, and it takes one of them`
      : `\`${owner}\` needs \`${first}\` or \`${second}\``,
  });
}
