import * as v from 'valibot';
import { comparable, filePath } from './scalars.ts';

const comparison = (description: string) =>
  v.pipe(
    v.strictObject({
      left: comparable('The value to compare, usually a `${…}`.'),
      right: comparable('The value to compare it with.'),
    }),
    v.description(description),
  );

/** A condition has exactly one key. A rule checks this, for a better message. */
export interface ConditionSource {
  readonly equals?: { readonly left: string; readonly right: string } | undefined;
  readonly not_equals?: { readonly left: string; readonly right: string } | undefined;
  readonly exists?: string | undefined;
  readonly not_exists?: string | undefined;
  readonly all?: readonly ConditionSource[] | undefined;
  readonly any?: readonly ConditionSource[] | undefined;
  readonly not?: ConditionSource | undefined;
}

export const OPERATORS = ['equals', 'not_equals', 'exists', 'not_exists', 'all', 'any', 'not'] as const;

const several = (description: string) =>
  v.pipe(
    v.array(v.lazy(() => condition)),
    v.nonEmpty('must contain at least one condition'),
    v.description(description),
  );

export const condition: v.GenericSchema<unknown, ConditionSource> = v.pipe(
  v.strictObject({
    equals: v.optional(
      comparison('True if both sides are the same text; JSON values are compared as JSON text.'),
    ),
    not_equals: v.optional(comparison('True if the two sides differ.')),
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
);
