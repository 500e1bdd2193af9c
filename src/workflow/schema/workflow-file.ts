/**
 * The format of a workflow file, defined once. The loader reads files by it (`store/yaml/shape/`), TypeScript takes the types
 * of what it read from it, and `scripts/schema.js` turns it into the JSON Schema that editors use.
 */
import * as v from 'valibot';
import { provider } from './provider.ts';
import { amount, filePath, flag, jsonRecord, NAME_PATTERN, text, wholeNumber, words } from './scalars.ts';
import { step } from './step.ts';

export { condition } from './condition.ts';
export { STEP_KINDS, step } from './step.ts';

const identifier = v.pipe(
  v.string(),
  v.regex(NAME_PATTERN, 'must be letters, digits, `_` and `-`, and must not begin with a digit'),
);

export type WorkflowSource = v.InferOutput<typeof workflow>;

export const workflow = v.pipe(
  v.strictObject({
    version: v.optional(text('The version of this file, for its readers.')),
    name: v.optional(words('The name of the workflow; the name of the file unless this says otherwise.')),
    strict_flow: v.optional(flag('Whether a step that fails and has no `on.failure` ends the run.'), true),
    context: v.optional(jsonRecord('Values for `${context.<key>}`; `--context` replaces them for one run.')),
    providers: v.optional(
      v.pipe(v.record(identifier, provider), v.description('How agents are started, by name.')),
    ),
    inbox_dir: v.optional(filePath('The folder that holds a queue for each agent.'), 'inbox'),
    processed_dir: v.optional(filePath('Where finished tasks go.'), 'processed'),
    failed_dir: v.optional(filePath('Where failed tasks go.'), 'failed'),
    task_extension: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\.[A-Za-z0-9_-]+$/, 'must be a dot followed by letters and digits, like `.task`'),
        v.description('How the name of a task file ends.'),
      ),
      '.task',
    ),
    budget: v.optional(
      v.pipe(
        v.strictObject({
          usd: v.optional(amount('The most a run may cost, in US dollars.')),
          tokens: v.optional(wholeNumber('The most tokens a run may use.', { min: 1 })),
          minutes: v.optional(
            amount(
              'The longest a run may take, by the clock from its start; the time in which it lay interrupted counts too.',
            ),
          ),
        }),
        v.description('Limits of a whole run; it stops at the first that is reached.'),
      ),
    ),
    steps: v.pipe(v.array(step), v.description('Done one after the other.')),
    finally: v.optional(
      v.pipe(
        v.array(step),
        v.description(
          'Run once at each end of the run, whatever happened: again when a failed run is resumed and ends anew.',
        ),
      ),
    ),
    outputs: v.optional(
      v.pipe(
        v.record(identifier, text('The value, mostly a `${steps.…}`.')),
        v.description('What a workflow that calls this one gets back, by name.'),
      ),
    ),
  }),
  v.description('A workflow.'),
);
