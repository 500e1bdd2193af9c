/** The files a step reads, the results it caches and the proof it requires. */
import * as v from 'valibot';
import { later } from './later.ts';
import { argv, filePath, flag, globs, jsonObject, oneOf, text, wholeNumber } from './scalars.ts';

export const dependsOn = later(() =>
  v.pipe(
    v.strictObject({
      required: v.optional(globs('Files that must exist; a glob without a match fails the step.')),
      optional: v.optional(globs('Files that may exist.')),
      inject: v.optional(
        v.pipe(
          v.union([
            flag('`true` inserts the list of files before the prompt.'),
            v.strictObject({
              mode: v.optional(
                oneOf(
                  ['list', 'content', 'none'],
                  'Whether to insert the names or the contents of the files.',
                ),
                'list',
              ),
              position: v.optional(
                oneOf(['prepend', 'append'], 'Where to insert them: before or after the prompt.'),
                'prepend',
              ),
              instruction: v.optional(text('A sentence placed above the files.')),
            }),
          ]),
          v.description('Inserts the files into the prompt. The input file itself does not change.'),
        ),
      ),
    }),
    v.description('Files the step reads, checked just before it starts.'),
  ),
);

export const cache = later(() =>
  v.pipe(
    v.strictObject({
      inputs: v.optional(globs('Files whose contents the result depends on.')),
      key: v.optional(
        v.pipe(v.array(text('A value.')), v.description('Other values the result depends on.')),
      ),
    }),
    v.description('Reuses the result of an earlier run if nothing it depends on has changed.'),
  ),
);

export const expectation = later(() =>
  v.pipe(
    v.strictObject({
      files: v.optional(globs('Files that must exist afterwards.')),
      json_schema: v.optional(
        v.pipe(
          v.union([filePath('The file that contains the schema.'), jsonObject]),
          v.description('A JSON Schema, or a file that contains one, that the output must match.'),
        ),
      ),
      command: v.optional(argv('A check that must exit with 0.')),
      reask: v.optional(
        wholeNumber('How often to ask the agent again, with the reasons, if a check fails.', {
          min: 0,
          max: 10,
        }),
        0,
      ),
    }),
    v.description('The proof that the step is done. If a check fails, the outcome is `unproven`.'),
  ),
);
