/** What is asked of a user: the inputs of a workflow, and the fields of a question. */
import * as v from 'valibot';
import { FIELD_TYPES } from '../../model/field.ts';
import { later } from './later.ts';
import { flag, NAME_PATTERN, oneOf, text } from './scalars.ts';

export const fieldEntries = {
  type: v.optional(
    oneOf(
      FIELD_TYPES,
      'The type of the value. `file` is a file that exists in the workspace. Default: `choice` with `choices`, otherwise `string`.',
    ),
  ),
  required: v.optional(flag('Whether a value must be given. Default: `true` if there is no `default`.')),
  default: v.optional(text('The value used if none is given.')),
  choices: v.optional(
    v.pipe(
      v.array(text('One value.')),
      v.nonEmpty('must contain at least one choice'),
      v.description('The possible values of a `choice`.'),
    ),
  ),
  description: v.optional(text('What the value is for; shown when it is asked for.')),
};

const field = v.strictObject(fieldEntries);

export type FieldSource = v.InferOutput<typeof field>;

export const fields = later(() =>
  v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(
          v.string(),
          v.regex(NAME_PATTERN, 'must be letters, digits, `_` and `-`, and must not start with a digit'),
          v.description('The name of the value: `${steps.<Name>.json.<name>}`.'),
        ),
        ...fieldEntries,
      }),
    ),
    v.nonEmpty('must contain at least one field'),
    v.description('Values that are asked for. The answers are the `json` of the step.'),
  ),
);

export const inputs = later(() =>
  v.pipe(
    v.record(
      v.pipe(
        v.string(),
        v.regex(NAME_PATTERN, 'must be letters, digits, `_` and `-`, and must not start with a digit'),
      ),
      v.pipe(field, v.description('One input.')),
    ),
    v.description(
      'The values a run needs, by name: `--context <name>=<value>` sets them, `${context.<name>}` reads them. They are checked before the run starts.',
    ),
  ),
);
