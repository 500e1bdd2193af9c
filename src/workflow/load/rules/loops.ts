import { list } from '../../../store/yaml/shape/describe-shape.ts';
import { POINTER_PATTERN } from '../../schema/scalars.ts';
import { checkMember, findStep } from '../step-members.ts';
import { noteContextKey } from './references.ts';
import { type Check, called, stepsOf } from './rule.ts';

const RESERVED = ['run', 'loop', 'matrix', 'steps', 'context', 'env'];

export function checkLoops(check: Check): void {
  const { places } = check.file;
  for (const place of stepsOf(check)) {
    const loop = place.step.for_each;
    if (loop === undefined) continue;
    if (RESERVED.includes(loop.as)) {
      check.report.error('workflow/reserved-name', places.valueRange(loop, 'as'), {
        message: `the item of ${called(place.step)} cannot be named \`${loop.as}\`, which is a namespace`,
        help: `choose another name; reserved are ${list(RESERVED)}`,
      });
    }
    if (loop.items_from === undefined || !POINTER_PATTERN.test(loop.items_from)) continue;
    const [root, name = '', member = '', ...rest] = loop.items_from.split('.');
    if (root === 'context') {
      noteContextKey(check, { key: name, range: places.valueRange(loop, 'items_from') });
      continue;
    }
    const reading = {
      reader: called(place.step),
      scope: place.scope,
      path: { name, member, rest },
      range: () => places.valueRange(loop, 'items_from'),
    };
    const step = findStep(check, reading);
    if (step !== undefined) checkMember(check, step, reading);
  }
}
