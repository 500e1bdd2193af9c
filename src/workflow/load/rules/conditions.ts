import { choice, list } from '../../../store/yaml/shape/describe-shape.ts';
import { OPERATORS } from '../../schema/condition.ts';
import { conditionsOf } from '../texts.ts';
import { type Check, called, stepsOf } from './rule.ts';

export function checkConditions(check: Check): void {
  for (const { step } of stepsOf(check)) {
    for (const condition of conditionsOf(step)) {
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
