import * as v from 'valibot';
import { later } from './later.ts';
import { comparable, filePath, VARIABLE_ALONE } from './scalars.ts';

const SIDES = v.strictObject({
  left: comparable('The value to compare, usually a `${…}`.'),
  right: comparable('The value to compare it with.'),
});

const comparison = (description: string) => v.pipe(SIDES, v.description(description));

interface Sides {
  readonly left: string;
  readonly right: string;
}

/** Operators that compare two sides. */
export const COMPARISONS = [
  'equals',
  'not_equals',
  'greater_than',
  'less_than',
  'at_least',
  'at_most',
  'contains',
  'matches',
] as const;

/** Operators whose sides are numbers. */
export const NUMBER_COMPARISONS = ['greater_than', 'less_than', 'at_least', 'at_most'] as const;

/** A condition has exactly one key. A rule checks this, for a better message. */
export interface ConditionSource extends Partial<Record<(typeof COMPARISONS)[number], Sides | undefined>> {
  readonly defined?: string | undefined;
  readonly exists?: string | undefined;
  readonly not_exists?: string | undefined;
  readonly all?: readonly ConditionSource[] | undefined;
  readonly any?: readonly ConditionSource[] | undefined;
  readonly not?: ConditionSource | undefined;
}

export const OPERATORS = [...COMPARISONS, 'defined', 'exists', 'not_exists', 'all', 'any', 'not'] as const;

const CONDITIONS = v.array(v.lazy(() => condition));

const several = (description: string) =>
  v.pipe(CONDITIONS, v.nonEmpty('must contain at least one condition'), v.description(description));

export const condition: v.GenericSchema<unknown, ConditionSource> = later(() =>
  v.pipe(
    v.strictObject({
      equals: v.optional(
        comparison('True if both sides are the same text; JSON values are compared as JSON text.'),
      ),
      not_equals: v.optional(comparison('True if the two sides differ.')),
      greater_than: v.optional(comparison('True if the number on the left is greater.')),
      less_than: v.optional(comparison('True if the number on the left is less.')),
      at_least: v.optional(comparison('True if the number on the left is greater or equal.')),
      at_most: v.optional(comparison('True if the number on the left is less or equal.')),
      contains: v.optional(comparison('True if the text on the left contains the one on the right.')),
      matches: v.optional(
        comparison(
          'True if the whole text on the left matches the glob on the right; `*` matches any characters.',
        ),
      ),
      defined: v.optional(
        v.pipe(
          v.string(),
          v.regex(VARIABLE_ALONE, 'must be one variable: `${…}`'),
          v.description('True if this variable has a value.'),
        ),
      ),
      exists: v.optional(filePath('True if at least one file matches this glob.')),
      not_exists: v.optional(filePath('True if no file matches this glob.')),
      all: v.optional(several('True if all of these are true.')),
      any: v.optional(several('True if at least one of these is true.')),
      not: v.optional(
        v.pipe(
          v.lazy(() => condition),
          v.description('True if this is false.'),
        ),
      ),
    }),
    v.description('A condition with exactly one operator.'),
  ),
);
