import * as v from 'valibot';
import { comparable, filePath } from './scalars.ts';

const comparison = (description: string) =>
  v.pipe(
    v.strictObject({
      left: comparable('The value that is looked at, mostly a `${…}`.'),
      right: comparable('The value it is compared with.'),
    }),
    v.description(description),
  );

/** Exactly one key; which is a rule, so that the message can say it. */
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
    v.nonEmpty('must hold at least one condition'),
    v.description(description),
  );

export const condition: v.GenericSchema<unknown, ConditionSource> = v.pipe(
  v.strictObject({
    equals: v.optional(comparison('True when both sides are the same text; JSON values by their JSON text.')),
    not_equals: v.optional(comparison('True when the two sides differ.')),
    exists: v.optional(filePath('True when at least one file matches this glob.')),
    not_exists: v.optional(filePath('True when no file matches this glob.')),
    all: v.optional(several('True when every one of these is.')),
    any: v.optional(several('True when at least one of these is.')),
    not: v.optional(
      v.pipe(
        v.lazy(() => condition),
        v.description('True when this is false.'),
      ),
    ),
  }),
  v.description('A condition: exactly one operator.'),
);
