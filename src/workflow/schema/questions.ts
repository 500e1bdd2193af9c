/** The kinds of step that wait for something else: files, another workflow, a person. */
import * as v from 'valibot';
import { filePath, jsonRecord, seconds, stepName, text, wholeNumber, words } from './scalars.ts';

export const waitFor = v.pipe(
  v.strictObject({
    glob: filePath('The files to wait for.'),
    timeout_sec: v.optional(seconds('How long to wait before the step fails with exit code 124.'), 300),
    poll_ms: v.optional(
      v.pipe(
        v.number(),
        v.integer('must be a whole number'),
        v.minValue(10, 'must be at least 10'),
        v.maxValue(3_600_000, 'must be at most 3600000 (an hour)'),
        v.description('How often the folder is looked at, besides being watched.'),
      ),
      500,
    ),
    min_count: v.optional(wholeNumber('How many files must be there.', { min: 1 }), 1),
  }),
  v.description('Waits until files are there.'),
);

export const call = v.pipe(
  v.strictObject({
    workflow: filePath('The file of the other workflow.'),
    context: v.optional(
      jsonRecord("Replaces values of the other workflow's `context`. `${…}` is substituted."),
    ),
    as: v.optional(
      stepName('A second name for this step, so that `${steps.<as>.json.<output>}` reads its outputs.'),
    ),
  }),
  v.description('Runs another workflow. Its `outputs` come back as `${steps.<Name>.json.<output>}`.'),
);

export const approve = v.pipe(
  v.strictObject({
    message: text('The question.'),
    choices: v.optional(
      v.pipe(
        v.array(words('One answer.')),
        v.nonEmpty('must hold at least one choice'),
        v.description('What can be answered; `approve` and `reject` unless this says otherwise.'),
      ),
    ),
    timeout_sec: v.optional(seconds('How long an answer is waited for.')),
    default: v.optional(words('The choice that is taken when nobody answers in time.')),
  }),
  v.description('Stops until a person answers. The choice is the `output` of the step.'),
);
