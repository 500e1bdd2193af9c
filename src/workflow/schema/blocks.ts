/** The kinds of step that hold other steps. */
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

/** A list of steps, given late because steps hold lists of steps. */
type StepSchema = v.GenericSchema<unknown, StepSource>;

const stepList = (step: StepSchema, description: string) =>
  v.pipe(v.array(step), v.nonEmpty('must hold at least one step'), v.description(description));

const moveTo = (description: string) =>
  v.pipe(
    v.strictObject({ move_to: filePath('The folder, made where it is missing.') }),
    v.description(description),
  );

export interface ForEachSource {
  readonly items_from?: string | undefined;
  readonly items?: readonly v.InferOutput<typeof json>[] | string | undefined;
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
            'must be `steps.<Name>.lines`, `steps.<Name>.files`, `steps.<Name>.json` with a dot path, or `context.<key>`',
          ),
          v.description(
            'The list an earlier step left: `steps.<Name>.lines`, `steps.<Name>.json[.<dot.path>]`, or `steps.<Name>.files` of a `wait_for`; or a list of the context, `context.<key>`.',
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
      as: v.optional(
        v.pipe(
          v.string(),
          v.regex(VARIABLE_NAME_PATTERN, 'must be letters, digits and `_`, not beginning with a digit'),
          v.description('The name of the item inside the loop: `${item}` unless this says otherwise.'),
        ),
        'item',
      ),
      max_parallel: v.optional(
        wholeNumber('How many items are worked on at once.', { min: 1, max: 1000 }),
        1,
      ),
      on_item_complete: v.optional(
        v.pipe(
          v.strictObject({
            success: v.optional(moveTo('Where the file of an item goes whose steps all succeeded.')),
            failure: v.optional(moveTo('Where the file of an item goes of which a step failed.')),
          }),
          v.description('What happens to the file that an item names, once its steps are done.'),
        ),
      ),
      on_item_failure: v.optional(
        oneOf(
          ['stop', 'continue'],
          'Whether the loop goes on after an item that failed: `continue` where `on_item_complete.failure` takes its file out of the way, otherwise `stop`.',
        ),
      ),
      steps: stepList(step, 'What is done for each item.'),
    }),
    v.description('Runs steps once for each item of a list.'),
  );

export interface ParallelSource {
  readonly max_parallel?: number | undefined;
  readonly steps?: readonly StepSource[] | undefined;
  readonly branches?: readonly { readonly name: string; readonly steps: readonly StepSource[] }[] | undefined;
}

export const parallel = (step: StepSchema): v.GenericSchema<unknown, ParallelSource> =>
  v.pipe(
    v.strictObject({
      max_parallel: v.optional(
        wholeNumber('How many branches run at once; all of them unless this says otherwise.', {
          min: 1,
          max: 1000,
        }),
      ),
      steps: v.optional(stepList(step, 'Each of these steps is a branch of its own.')),
      branches: v.optional(
        v.pipe(
          v.array(
            v.strictObject({
              name: stepName('The name of the branch.'),
              steps: stepList(step, 'Done one after the other.'),
            }),
          ),
          v.nonEmpty('must hold at least one branch'),
          v.description('Branches of several steps each.'),
        ),
      ),
    }),
    v.description('Runs branches side by side. All of them finish, also when one fails.'),
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
      steps: stepList(step, 'Done again and again.'),
      until: v.pipe(condition, v.description('Looked at after each round; it sees the steps of that round.')),
      max_iterations: v.optional(
        wholeNumber('After so many rounds the step fails with outcome `exhausted`.', {
          min: 1,
          max: 100_000,
        }),
        10,
      ),
      delay_sec: v.optional(pauseSeconds('The pause between two rounds.'), 0),
      on_exhausted: v.optional(
        oneOf(['fail', 'continue'], 'Whether the step fails when the rounds are used up.'),
        'fail',
      ),
    }),
    v.description('Runs steps until a condition is true.'),
  );
