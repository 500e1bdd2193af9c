/** What a step reads, leaves and proves. */
import * as v from 'valibot';
import { argv, filePath, flag, globs, jsonObject, oneOf, text, wholeNumber } from './scalars.ts';

export const dependsOn = v.pipe(
  v.strictObject({
    required: v.optional(globs('Files that must be there; a glob without a match fails the step.')),
    optional: v.optional(globs('Files that may be there.')),
    inject: v.optional(
      v.pipe(
        v.union([
          flag('`true`: the list of the files is put before the prompt.'),
          v.strictObject({
            mode: v.optional(
              oneOf(
                ['list', 'content', 'none'],
                'Whether the names or the contents of the files are put in.',
              ),
              'list',
            ),
            position: v.optional(oneOf(['prepend', 'append'], 'Before or after the prompt.'), 'prepend'),
            instruction: v.optional(text('A sentence that stands above the files.')),
          }),
        ]),
        v.description('Puts the files into the prompt. The input file itself is not changed.'),
      ),
    ),
  }),
  v.description('Files the step reads, checked just before it starts.'),
);

export const cache = v.pipe(
  v.strictObject({
    inputs: v.optional(globs('Files whose contents the result depends on.')),
    key: v.optional(v.pipe(v.array(text('A value.')), v.description('Other values the result depends on.'))),
  }),
  v.description('Takes the result of an earlier run where nothing it depends on has changed.'),
);

export const expectation = v.pipe(
  v.strictObject({
    files: v.optional(globs('Files that must be there afterwards.')),
    json_schema: v.optional(
      v.pipe(
        v.union([filePath('The file that holds the schema.'), jsonObject]),
        v.description('A JSON Schema, or the file that holds it, that the output must satisfy.'),
      ),
    ),
    command: v.optional(argv('A check that must exit with 0.')),
    reask: v.optional(
      wholeNumber('How often an agent is asked again, with the reasons.', { min: 0, max: 10 }),
      0,
    ),
  }),
  v.description(
    'What must be true for the step to count as done. A claim without proof is outcome `unproven`.',
  ),
);
