import type { Comparison, Condition } from '../../definition.ts';
import { COMPARISONS, type ConditionSource } from '../../schema/condition.ts';

/** Defines a condition that has exactly one operator; the rules have checked it. */
export function defineCondition(source: ConditionSource): Condition {
  for (const operator of COMPARISONS) {
    const sides = source[operator];
    if (sides === undefined) continue;
    const type = operator.replace('_', '-') as Comparison['type'];
    return { type, left: sides.left, right: sides.right };
  }
  if (source.defined !== undefined) return { type: 'defined', variable: source.defined };
  if (source.exists !== undefined) return { type: 'exists', glob: source.exists };
  if (source.not_exists !== undefined) return { type: 'not-exists', glob: source.not_exists };
  if (source.all !== undefined) return { type: 'all', conditions: source.all.map(defineCondition) };
  if (source.any !== undefined) return { type: 'any', conditions: source.any.map(defineCondition) };
  if (source.not !== undefined) return { type: 'not', condition: defineCondition(source.not) };
  throw new Error('a condition without an operator passed the rules');
}
