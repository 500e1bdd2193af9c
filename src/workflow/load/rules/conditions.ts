import { numberIn } from '../../../model/number-in.ts';
import { choice, list } from '../../../store/yaml/shape/describe-shape.ts';
import { type ConditionSource, NUMBER_COMPARISONS, OPERATORS } from '../../schema/condition.ts';
import { conditionsOf } from '../texts.ts';
import { type Check, called, stepsOf } from './rule.ts';

export function checkConditions(check: Check): void {
  for (const { step } of stepsOf(check)) {
    for (const condition of conditionsOf(step)) {
      checkNumbers(check, condition);
      const operators = OPERATORS.filter((operator) => condition[operator] !== undefined);
      if (operators.length === 1) continue;
      if (operators.length === 0 && !check.file.places.isWhole(condition)) continue;
      const second = operators[1];
      check.report.error(
        'workflow/condition',
        check.file.places.keyRange(condition, second ?? ''),
        second === undefined
          ? {
              message: `a condition of ${called(step)} has no operator`,
              help: `use one of ${choice(OPERATORS)}`,
            }
          : {
              message: `a condition of ${called(step)} has more than one operator: ${list(operators)}`,
              help: 'combine them in a list under `all:` or `any:`',
            },
      );
    }
  }
}

/** A side without a variable is known already. */
function checkNumbers(check: Check, condition: ConditionSource): void {
  for (const operator of NUMBER_COMPARISONS) {
    const sides = condition[operator];
    if (sides === undefined) continue;
    for (const side of ['left', 'right'] as const) {
      if (sides[side] === '' || sides[side].includes('$') || numberIn(sides[side]) !== undefined) continue;
      check.report.error('workflow/invalid-value', check.file.places.valueRange(sides, side), {
        message: `\`${operator}\` compares numbers, and \`${sides[side]}\` is not a number`,
      });
    }
  }
}
