import type { Condition } from '../../definition.ts';
import type { ConditionSource } from '../../schema/condition.ts';

/** Defines a condition that has exactly one operator; the rules have checked it. */
export function defineCondition(source: ConditionSource): Condition {
  if (source.equals !== undefined) return { type: 'equals', ...sides(source.equals) };
  if (source.not_equals !== undefined) return { type: 'not-equals', ...sides(source.not_equals) };
  if (source.exists !== undefined) return { type: 'exists', glob: source.exists };
  if (source.not_exists !== undefined) return { type: 'not-exists', glob: source.not_exists };
  if (source.all !== undefined) return { type: 'all', conditions: source.all.map(defineCondition) };
  if (source.any !== undefined) return { type: 'any', conditions: source.any.map(defineCondition) };
  if (source.not !== undefined) return { type: 'not', condition: defineCondition(source.not) };
  throw new Error('a condition without an operator passed the rules');
}

function sides(comparison: { readonly left: string; readonly right: string }) {
  return { left: comparison.left, right: comparison.right };
}
