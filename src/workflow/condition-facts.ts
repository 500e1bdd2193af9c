/** States the facts that decide a condition, with their values: `` `${x}` is `7`, not `7.0` ``. */
import type { Failure } from '../model/failure.ts';
import type { Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Block } from './block.ts';
import type { Comparison, Condition } from './definition.ts';
import { renderComparable } from './render.ts';
import { shownValue } from './shown-value.ts';

export interface Asked {
  readonly block: Block;
  evaluate(condition: Condition): Result<boolean, Failure>;
}

/** `isTrue`: how the condition was decided. */
export function describeFact(asked: Asked, condition: Condition, isTrue: boolean): string {
  switch (condition.type) {
    case 'exists':
    case 'not-exists': {
      const exists = isTrue === (condition.type === 'exists');
      if (!/[*?]/.test(condition.glob))
        return `\`${condition.glob}\` ${exists ? 'exists' : 'does not exist'}`;
      return `${exists ? 'a' : 'no'} file matches \`${condition.glob}\``;
    }
    case 'defined':
      return `\`${condition.variable}\` is ${isTrue ? '' : 'not '}defined`;
    case 'not':
      return describeFact(asked, condition.condition, !isTrue);
    case 'all':
    case 'any': {
      const { conditions } = condition;
      const isDecidedByOne = isTrue === (condition.type === 'any');
      const parts = isDecidedByOne
        ? conditions.filter((part) => isFact(asked, part, isTrue)).slice(0, 1)
        : conditions;
      return parts.map((part) => describeFact(asked, part, isTrue)).join(' and ');
    }
    default:
      // Partial: the others compare two sides.
      return describeComparison(asked.block, condition, isTrue);
  }
}

function isFact({ evaluate }: Asked, condition: Condition, isTrue: boolean): boolean {
  const held = evaluate(condition);
  return held.type === 'ok' && held.value === isTrue;
}

function describeComparison(block: Block, comparison: Comparison, isTrue: boolean): string {
  const { type, left, right } = comparison;
  if (type === 'equals') return describeEquality(block, comparison, isTrue);
  if (type === 'not-equals') return describeEquality(block, comparison, !isTrue);
  const operand = right.includes('$') ? `\`${right}\` (${valueText(block, right)})` : `\`${right}\``;
  const subject = left.includes('$') ? `\`${left}\` is ${valueText(block, left)}` : `\`${left}\``;
  const words = relation(type, isTrue);
  return left.includes('$') ? `${subject}, which ${words} ${operand}` : `${subject} ${words} ${operand}`;
}

function relation(type: Exclude<Comparison['type'], 'equals' | 'not-equals'>, isTrue: boolean): string {
  switch (type) {
    case 'greater-than':
      return isTrue ? 'is greater than' : 'is not greater than';
    case 'less-than':
      return isTrue ? 'is less than' : 'is not less than';
    case 'at-least':
      return isTrue ? 'is at least' : 'is less than';
    case 'at-most':
      return isTrue ? 'is at most' : 'is greater than';
    case 'contains':
      return isTrue ? 'contains' : 'does not contain';
    case 'matches':
      return isTrue ? 'matches' : 'does not match';
    default:
      return unreachable(type);
  }
}

function describeEquality(block: Block, { left, right }: Comparison, areEqual: boolean): string {
  const [first, second] = left.includes('$') ? [left, right] : [right, left];
  if (!first.includes('$')) return `\`${left}\` ${areEqual ? 'equals' : 'is not'} \`${right}\``;
  const fact = `\`${first}\` is ${valueText(block, first)}`;
  if (areEqual) return fact;
  return second.includes('$')
    ? `${fact}, \`${second}\` is ${valueText(block, second)}`
    : `${fact}, not ${valueText(block, second)}`;
}

function valueText(block: Block, text: string): string {
  const rendered = renderComparable(block, text);
  return shownValue(rendered.type === 'ok' ? rendered.value : '');
}
