import * as v from 'valibot';
import { askRules } from '../../model/ask-schema.ts';
import { agentEntries } from './agent.ts';
import {
  type ForEachSource,
  forEach,
  type GraphSource,
  graph,
  type ParallelSource,
  parallel,
  type RepeatSource,
  repeat,
} from './blocks.ts';
import { type ConditionSource, condition } from './condition.ts';
import { capture, environment, secrets } from './defaults.ts';
import { cache, dependsOn, expectation } from './files.ts';
import { isolate } from './isolate.ts';
import { later } from './later.ts';
import { breakLoop, endRun } from './leaving.ts';
import { approve, call, waitFor } from './questions.ts';
import { retries } from './retries.ts';
import {
  argv,
  filePath,
  flag,
  jsonRecord,
  seconds,
  stepName,
  stepReference,
  text,
  wholeNumber,
  words,
  workerLabel,
} from './scalars.ts';
import { workEntries } from './work.ts';

/** A step has exactly one of these, except that `command_override` may be combined with `provider`. */
export const STEP_KINDS = [
  'command',
  'script',
  'provider',
  'command_override',
  'wait_for',
  'for_each',
  'parallel',
  'graph',
  'repeat',
  'call',
  'approve',
  'break',
  'end',
] as const;

const JUMP = v.strictObject({ goto: stepReference('A step of the same list, or `_end`.') });

const jump = (description: string) => v.pipe(JUMP, v.description(description));

const flatEntries = {
  name: stepName('The name of the step, unique in the file.'),
  description: v.optional(text('What the step does; shown by `show` and `report`.')),
  agent: v.optional(
    words('A display name. Outputs listed in `artifacts/<agent>/status.json` belong to the step.'),
  ),

  command: v.optional(argv('The command to run.')),
  provider: v.optional(
    words(
      'The agent to call: a name under `providers`, or `claude`, `gemini`, `codex`, `opencode`, `copilot`, `qwen`, `mock`.',
    ),
  ),
  command_override: v.optional(argv("Runs this instead of the provider's command line.")),
  wait_for: v.optional(waitFor),
  call: v.optional(call),
  approve: v.optional(approve),
  break: v.optional(breakLoop),
  end: v.optional(endRun),

  ask: v.optional(askRules),
  ...workEntries,
  input_file: v.optional(
    filePath('The file with the prompt of an agent, or the standard input of a command.'),
  ),
  output_file: v.optional(
    filePath('The file to write the complete standard output to; for an agent, its final answer.'),
  ),
  output_capture: v.optional(capture, 'text'),
  allow_parse_error: v.optional(
    flag(
      'With `output_capture: json`: output that is not valid JSON is kept as text, and the step succeeds.',
    ),
    false,
  ),
  provider_params: v.optional(
    jsonRecord("Values for the provider's `${name}` placeholders, and its `model`."),
  ),
  ...agentEntries,
  continue_from: v.optional(stepReference('Continues the conversation of this earlier agent step.')),
  fork_from: v.optional(stepReference('Starts with a copy of the conversation of this earlier agent step.')),

  env: v.optional(environment('Environment variables of the process. `${…}` is not substituted here.')),
  secrets: v.optional(secrets),
  depends_on: v.optional(dependsOn),
  timeout_sec: v.optional(seconds('The time limit of the step; it is then stopped with exit code 124.')),
  idle_timeout_sec: v.optional(seconds('The time limit without any output; the step is then stopped.')),
  worker: v.optional(
    workerLabel(
      'With `run --engine`: the label of the workers that can run it, or `at:<name>` for one worker. Default: that of the provider, or `default`.',
    ),
  ),
  retries: v.optional(retries),
  needs: v.optional(
    v.pipe(
      v.array(stepReference('A step of the same `graph`.')),
      v.description('In a `graph`: the steps that must be done before this one starts.'),
    ),
  ),
  when: v.optional(v.pipe(condition, v.description('The step is skipped if this is false.'))),
  on: v.optional(
    later(() =>
      v.pipe(
        v.strictObject({
          success: v.optional(jump('Where to continue after success.')),
          failure: v.optional(jump('Where to continue after failure.')),
          always: v.optional(jump('Where to continue in either case; overrides the other two.')),
        }),
        v.description('Where to continue after the step.'),
      ),
    ),
  ),
  allow_failure: v.optional(
    flag('A failure of the step is recorded, and the run continues as if the step had succeeded.'),
    false,
  ),
  isolate: v.optional(isolate),
  cache: v.optional(cache),
  expect: v.optional(expectation),
  max_visits: v.optional(
    wholeNumber('The maximum number of visits; one more fails the run.', { min: 1 }),
    1000,
  ),
};

const flatStep = v.strictObject(flatEntries);

export interface StepSource extends v.InferOutput<typeof flatStep> {
  readonly for_each?: ForEachSource | undefined;
  readonly parallel?: ParallelSource | undefined;
  readonly graph?: GraphSource | undefined;
  readonly repeat?: RepeatSource | undefined;
}

export type StepKindKey = (typeof STEP_KINDS)[number];
export type { ConditionSource };

const nested: v.GenericSchema<unknown, StepSource> = v.lazy(() => step);

export const step: v.GenericSchema<unknown, StepSource> = v.pipe(
  v.strictObject({
    ...flatEntries,
    for_each: v.optional(later(() => forEach(nested))),
    parallel: v.optional(later(() => parallel(nested))),
    graph: v.optional(later(() => graph(nested))),
    repeat: v.optional(later(() => repeat(nested))),
  }),
  v.description(`A step: a name and exactly one of ${STEP_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`),
) as v.GenericSchema<unknown, StepSource>;
