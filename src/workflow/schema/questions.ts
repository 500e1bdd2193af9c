/** The kinds of step that wait for something: files, another workflow, a user. */
import * as v from 'valibot';
import { fields } from './field.ts';
import { later } from './later.ts';
import { filePath, jsonRecord, oneOf, seconds, stepName, text, wholeNumber, words } from './scalars.ts';

export const waitFor = later(() =>
  v.pipe(
    v.strictObject({
      glob: filePath('The files to wait for.'),
      timeout_sec: v.optional(seconds('The time to wait before the step fails with exit code 124.'), 300),
      poll_ms: v.optional(
        v.pipe(
          v.number(),
          v.integer('must be a whole number'),
          v.minValue(10, 'must be at least 10'),
          v.maxValue(3_600_000, 'must be at most 3600000 (an hour)'),
          v.description('How often to check the folder, in addition to watching it.'),
        ),
        500,
      ),
      min_count: v.optional(wholeNumber('The number of files that must exist.', { min: 1 }), 1),
    }),
    v.description('Waits until files exist.'),
  ),
);

export const call = later(() =>
  v.pipe(
    v.strictObject({
      workflow: v.optional(filePath('The file of the other workflow.')),
      program: v.optional(filePath('Instead of `workflow`: a workflow in TypeScript or JavaScript.')),
      input: v.optional(jsonRecord('The input of the `program`. `${…}` is substituted.')),
      context: v.optional(
        jsonRecord(
          'The inputs of the other workflow, and values that replace those of its `context`. `${…}` is substituted.',
        ),
      ),
      as: v.optional(
        stepName('An alias for this step, so that `${steps.<as>.json.<output>}` reads its outputs.'),
      ),
    }),
    v.description(
      'Runs another workflow. Its `outputs`, or what the function of a `program` returns, are available as `${steps.<Name>.json.<output>}`.',
    ),
  ),
);

export const approve = later(() =>
  v.pipe(
    v.strictObject({
      message: text('The question.'),
      choices: v.optional(
        v.pipe(
          v.array(words('One answer.')),
          v.nonEmpty('must contain at least one choice'),
          v.description('The possible answers. Default: `approve` and `reject`, or none with `fields`.'),
        ),
      ),
      show: v.optional(oneOf(['diff'], 'Shows what the isolated work around it has changed so far.')),
      fields: v.optional(fields),
      timeout_sec: v.optional(seconds('The time to wait for an answer. Default: no limit.')),
      default: v.optional(words('The choice used if there is no answer in time.')),
    }),
    v.description('Waits for an answer from a user. The choice is the `output` of the step.'),
  ),
);
