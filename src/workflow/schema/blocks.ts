/** The kinds of step that contain other steps. */
import * as v from 'valibot';
import { type ConditionSource, condition } from './condition.ts';
import {
  filePath,
  json,
  oneOf,
  POINTER_PATTERN,
  pauseSeconds,
  stepName,
  VARIABLE_ALONE,
  VARIABLE_NAME_PATTERN,
  wholeNumber,
} from './scalars.ts';
import type { StepSource } from './step.ts';

/** A list of steps, defined lazily because steps contain lists of steps. */
type StepSchema = v.GenericSchema<unknown, StepSource>;

const stepList = (step: StepSchema, description: string) =>
  v.pipe(v.array(step), v.nonEmpty('must contain at least one step'), v.description(description));

const moveTo = (description: string) =>
  v.pipe(
    v.strictObject({ move_to: filePath('The folder; created if missing.') }),
    v.description(description),
  );

export interface ForEachSource {
  readonly items_from?: string | undefined;
  readonly items?: readonly v.InferOutput<typeof json>[] | string | undefined;
  readonly matrix?: { readonly [name: string]: readonly v.InferOutput<typeof json>[] | string } | undefined;
  readonly as: string;
  readonly max_parallel: number;
  readonly on_item_complete?:
    | {
        readonly success?: { readonly move_to: string } | undefined;
        readonly failure?: { readonly move_to: string } | undefined;
      }
    | undefined;
  readonly on_item_failure?: 'stop' | 'continue' | undefined;
  readonly steps: readonly StepSource[];
}

export const forEach = (step: StepSchema): v.GenericSchema<unknown, ForEachSource> =>
  v.pipe(
    v.strictObject({
      items_from: v.optional(
        v.pipe(
          v.string(),
          v.regex(
            POINTER_PATTERN,
            'must be `steps.<Name>.lines`, `steps.<Name>.files`, `steps.<Name>.results`, `steps.<Name>.json` with a dot path, or `context.<key>`',
          ),
          v.description(
            'The list produced by an earlier step: `steps.<Name>.lines`, `steps.<Name>.json[.<dot.path>]`, `steps.<Name>.results` of a loop, or `steps.<Name>.files` of a `wait_for`; or a list of the context, `context.<key>`.',
          ),
        ),
      ),
      items: v.optional(
        v.pipe(
          v.union([
            v.array(json),
            v.pipe(v.string(), v.regex(VARIABLE_ALONE, 'must be a list, or one variable that names a list')),
          ]),
          v.description(
            'The items themselves; `${…}` in them is substituted. Or one variable that names a list: `${context.sizes}`.',
          ),
        ),
      ),
      matrix: v.optional(
        v.pipe(
          v.record(
            v.pipe(
              v.string(),
              v.regex(VARIABLE_NAME_PATTERN, 'must be letters, digits and `_`, not starting with a digit'),
            ),
            v.pipe(
              v.union([
                v.array(json),
                v.pipe(
                  v.string(),
                  v.regex(VARIABLE_ALONE, 'must be a list, or one variable that names a list'),
                ),
              ]),
              v.description('The values, or one variable that names a list.'),
            ),
          ),
          v.description(
            'Lists of values; the steps run for every combination of them. A value is read as `${matrix.<name>}`.',
          ),
        ),
      ),
      as: v.optional(
        v.pipe(
          v.string(),
          v.regex(VARIABLE_NAME_PATTERN, 'must be letters, digits and `_`, not starting with a digit'),
          v.description('The name of the item inside the loop, used as `${<name>}`.'),
        ),
        'item',
      ),
      max_parallel: v.optional(
        wholeNumber('The number of items processed at once.', { min: 1, max: 1000 }),
        1,
      ),
      on_item_complete: v.optional(
        v.pipe(
          v.strictObject({
            success: v.optional(moveTo("Where an item's file is moved if all its steps succeed.")),
            failure: v.optional(moveTo("Where an item's file is moved if one of its steps fails.")),
          }),
          v.description('What happens to the file named by an item after its steps.'),
        ),
      ),
      on_item_failure: v.optional(
        oneOf(
          ['stop', 'continue'],
          'Whether the loop continues after a failed item. Default: `continue` if `on_item_complete.failure` moves its file away, otherwise `stop`.',
        ),
      ),
      steps: stepList(step, 'The steps to run for each item.'),
    }),
    v.description('Runs steps for each item of a list.'),
  );

const join = v.optional(
  oneOf(
    ['all', 'any', 'all_done'],
    'When it is done, and how it ends. `all`: all must succeed. `any`: the first that succeeds decides, and the others are stopped. `all_done`: it succeeds when all have ended, whatever they did.',
  ),
  'all',
);

export interface ParallelSource {
  readonly max_parallel?: number | undefined;
  readonly join: JoinSource;
  readonly steps?: readonly StepSource[] | undefined;
  readonly branches?: readonly { readonly name: string; readonly steps: readonly StepSource[] }[] | undefined;
}

export type JoinSource = v.InferOutput<typeof join>;

export const parallel = (step: StepSchema): v.GenericSchema<unknown, ParallelSource> =>
  v.pipe(
    v.strictObject({
      max_parallel: v.optional(
        wholeNumber('The number of branches that run at once. Default: all.', {
          min: 1,
          max: 1000,
        }),
      ),
      join,
      steps: v.optional(stepList(step, 'Steps that each run as a separate branch.')),
      branches: v.optional(
        v.pipe(
          v.array(
            v.strictObject({
              name: stepName('The name of the branch.'),
              steps: stepList(step, 'The steps of the branch, run in order.'),
            }),
          ),
          v.nonEmpty('must contain at least one branch'),
          v.description('Branches with several steps each.'),
        ),
      ),
    }),
    v.description(
      'Runs branches in parallel. All of them finish, even if one fails, unless `join` says otherwise.',
    ),
  );

export interface RepeatSource {
  readonly steps: readonly StepSource[];
  readonly until: ConditionSource;
  readonly max_iterations: number;
  readonly delay_sec: number;
  readonly on_exhausted: 'fail' | 'continue';
}

export const repeat = (step: StepSchema): v.GenericSchema<unknown, RepeatSource> =>
  v.pipe(
    v.strictObject({
      steps: stepList(step, 'The steps to repeat.'),
      until: v.pipe(
        condition,
        v.description('Checked after each iteration; it can read the steps of that iteration.'),
      ),
      max_iterations: v.optional(
        wholeNumber('The maximum number of iterations; after it the step fails with outcome `exhausted`.', {
          min: 1,
          max: 100_000,
        }),
        10,
      ),
      delay_sec: v.optional(pauseSeconds('The pause between two iterations.'), 0),
      on_exhausted: v.optional(
        oneOf(['fail', 'continue'], 'Whether the step fails after the maximum number of iterations.'),
        'fail',
      ),
    }),
    v.description('Runs steps until a condition is true.'),
  );

export interface GraphSource {
  readonly max_parallel?: number | undefined;
  readonly join: JoinSource;
  readonly steps: readonly StepSource[];
}

export const graph = (step: StepSchema): v.GenericSchema<unknown, GraphSource> =>
  v.pipe(
    v.strictObject({
      max_parallel: v.optional(
        wholeNumber('The number of steps that run at once. Default: all that are ready.', {
          min: 1,
          max: 1000,
        }),
      ),
      join,
      steps: stepList(step, 'The steps, in any order; `needs` says what a step has to wait for.'),
    }),
    v.description(
      'Runs each step as soon as the steps it `needs` are done. A failed step skips those that need it; the others finish.',
    ),
  );
