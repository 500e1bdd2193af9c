/** Compares the two sides of a condition. */
import type { Failure } from '../model/failure.ts';
import { numberIn } from '../model/number-in.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { matchesText } from '../store/glob-pattern.ts';
import type { Block } from './block.ts';
import type { Comparison } from './definition.ts';
import { renderComparable, renderGlob } from './render.ts';
import { shownValue } from './shown-value.ts';

export function compare(block: Block, comparison: Comparison): Result<boolean, Failure> {
  const { type } = comparison;
  const left = renderComparable(block, comparison.left);
  if (left.type === 'error') return left;
  if (type === 'matches') return compareGlob(block, comparison, left.value);
  const right = renderComparable(block, comparison.right);
  if (right.type === 'error') return right;
  switch (type) {
    case 'equals':
      return ok(left.value === right.value);
    case 'not-equals':
      return ok(left.value !== right.value);
    case 'contains':
      return ok(left.value.includes(right.value));
    case 'greater-than':
    case 'less-than':
    case 'at-least':
    case 'at-most':
      // A dry run has no results to compare.
      if (block.options.dryRun === true && [left, right].some(({ value }) => numberIn(value) === undefined))
        return ok(false);
      return compareNumbers(comparison, left.value, right.value);
    default:
      return unreachable(type);
  }
}

/** A value in the pattern stands for itself. */
function compareGlob(block: Block, { right }: Comparison, text: string): Result<boolean, Failure> {
  const pattern = renderGlob(block, right);
  if (pattern.type === 'error') return pattern;
  const matched = matchesText(pattern.value, text);
  return matched.type === 'ok' ? matched : unusable(`the pattern \`${right}\` ${matched.error}`);
}

function compareNumbers(
  { type, left, right }: Comparison,
  leftText: string,
  rightText: string,
): Result<boolean, Failure> {
  const a = numberIn(leftText);
  if (a === undefined) return unusable(notANumber(left, leftText));
  const b = numberIn(rightText);
  if (b === undefined) return unusable(notANumber(right, rightText));
  if (type === 'greater-than') return ok(a > b);
  if (type === 'less-than') return ok(a < b);
  return ok(type === 'at-least' ? a >= b : a <= b);
}

function notANumber(written: string, value: string): string {
  return written.includes('$')
    ? `\`${written}\` is ${shownValue(value)}, not a number`
    : `${shownValue(value)} is not a number`;
}

function unusable(reason: string): Result<never, Failure> {
  return error({ type: 'unusable-values', reasons: [reason] });
}
