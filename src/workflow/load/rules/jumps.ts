import { nearest } from '../../../model/suggest.ts';
import { list } from '../../../store/yaml/shape/describe-shape.ts';
import { END_TARGET } from '../../definition.ts';
import { type Check, called, stepsOf } from './rule.ts';

const MAX_LISTED = 12;

/** A `goto` stays within its own list: it cannot jump into or out of a loop or a branch. */
export function checkJumps(check: Check): void {
  const { places, index } = check.file;
  for (const { step, list: siblings, scope } of stepsOf(check)) {
    if (scope.node?.step === step) continue;
    for (const jump of [step.on?.success, step.on?.failure, step.on?.always]) {
      if (jump === undefined || jump.goto === '' || jump.goto === END_TARGET) continue;
      const elsewhere = index.byName.get(jump.goto);
      if (elsewhere?.list === siblings && elsewhere.step.name === jump.goto) continue;
      const names = siblings.map((sibling) => sibling.name).filter((name) => name !== '');
      const meant = nearest(jump.goto, [...names, END_TARGET]);
      check.report.error('workflow/unknown-goto', places.valueRange(jump, 'goto'), {
        message:
          elsewhere === undefined
            ? `${called(step)} goes to unknown step \`${jump.goto}\``
            : `${called(step)} cannot go to \`${jump.goto}\`, which is in another list of steps`,
        related:
          elsewhere === undefined
            ? undefined
            : [
                {
                  message: `\`${jump.goto}\` is defined here`,
                  range: places.valueRange(elsewhere.step, 'name'),
                },
              ],
        help:
          meant === undefined || elsewhere !== undefined
            ? `valid targets are ${list(names.slice(0, MAX_LISTED))}${names.length > MAX_LISTED ? ', …' : ''} or \`${END_TARGET}\``
            : `did you mean \`${meant}\`?`,
      });
    }
  }
}
