/**
 * The format of a workflow file, defined once. The loader reads files by it (`store/yaml/shape/`), the TypeScript types are derived
 * from it, and `scripts/schema.js` turns it into the JSON Schema that editors use.
 */
import * as v from 'valibot';
import { defaults, environment } from './defaults.ts';
import { inputs } from './field.ts';
import { later } from './later.ts';
import { notify } from './notify.ts';
import { provider } from './provider.ts';
import { amount, filePath, flag, jsonRecord, NAME_PATTERN, text, wholeNumber, words } from './scalars.ts';
import { keep, schedule } from './schedule.ts';
import { step } from './step.ts';

export { condition } from './condition.ts';
export { STEP_KINDS, step } from './step.ts';

const identifier = v.pipe(
  v.string(),
  v.regex(NAME_PATTERN, 'must be letters, digits, `_` and `-`, and must not start with a digit'),
);

export type WorkflowSource = v.InferOutput<typeof workflow>;

export const workflow = v.pipe(
  v.strictObject({
    version: v.optional(text('The version of this file, for information only.')),
    name: v.optional(words('The name of the workflow. Default: the file name.')),
    description: v.optional(text('What the workflow does; shown by `inputs`, `show` and `report`.')),
    inputs: v.optional(inputs),
    strict_flow: v.optional(
      flag(
        'Whether a failed step without `on.failure` ends the run. If not, the run continues, and still ends as `failed`, exit code 1; `--on-error` overrides it.',
      ),
      true,
    ),
    context: v.optional(jsonRecord('Values for `${context.<key>}`; `--context` overrides them for one run.')),
    env: v.optional(
      environment(
        "Environment variables of all commands and agents; a step's own `env` has precedence. `${…}` is not substituted here.",
      ),
    ),
    defaults: v.optional(defaults),
    providers: v.optional(
      v.pipe(v.record(identifier, provider), v.description('The agents and how they are started, by name.')),
    ),
    inbox_dir: v.optional(filePath('The folder that contains a queue for each agent.'), 'inbox'),
    processed_dir: v.optional(filePath('The folder for finished tasks.'), 'processed'),
    failed_dir: v.optional(filePath('The folder for failed tasks.'), 'failed'),
    task_extension: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\.[A-Za-z0-9_-]+$/, 'must be a dot followed by letters and digits, like `.task`'),
        v.description('The extension of task files.'),
      ),
      '.task',
    ),
    budget: v.optional(
      later(() =>
        v.pipe(
          v.strictObject({
            usd: v.optional(amount('The maximum cost of a run, in US dollars.')),
            tokens: v.optional(wholeNumber('The maximum number of tokens a run may use.', { min: 1 })),
            minutes: v.optional(
              amount(
                'The maximum time in which a run works: while a process executes it, not while it waits for a person or is interrupted. It also ends the command or agent that is running.',
              ),
            ),
          }),
          v.description(
            'Limits of a whole run. At the first one reached, nothing more starts, and the run fails as `over-budget`.',
          ),
        ),
      ),
    ),
    schedule: v.optional(schedule),
    keep: v.optional(keep),
    notify: v.optional(notify),
    steps: v.pipe(
      v.array(step),
      v.nonEmpty('must contain at least one step'),
      v.description('The steps, run in order.'),
    ),
    finally: v.optional(
      v.pipe(
        v.array(step),
        v.description(
          'Steps that run once at the end of the run, whatever happened; they run again when a resumed run ends.',
        ),
      ),
    ),
    outputs: v.optional(
      v.pipe(
        v.record(identifier, text('The value, usually a `${steps.…}`.')),
        v.description('Values returned to a workflow that calls this one, by name.'),
      ),
    ),
  }),
  v.description('A workflow.'),
);
