import * as v from 'valibot';
import { AGENT_NAMES, EXIT_CODE_OUTCOMES } from '../../model/agent.ts';
import { askRules } from '../../model/ask-schema.ts';
import { mockScript } from '../../model/mock-script.ts';
import { later } from './later.ts';
import { sandboxEntries } from './sandbox.ts';
import { argv, jsonRecord, oneOf, seconds, words, workerLabel } from './scalars.ts';
import { toolEntries } from './tools.ts';

export type ProviderSource = v.InferOutput<typeof provider>;

export const provider = later(() =>
  v.pipe(
    v.strictObject({
      command: v.optional(
        argv(
          'The command line to start, run exactly as written. `${PROMPT}` is the prompt, `${name}` a parameter.',
        ),
      ),
      input_mode: v.optional(
        oneOf(
          ['argv', 'stdin'],
          'How the prompt is passed: as the argument `${PROMPT}`, or on standard input.',
        ),
      ),
      defaults: v.optional(
        jsonRecord('Default values of parameters that a step does not set in `provider_params`.'),
      ),
      adapter: v.optional(
        oneOf(
          [...AGENT_NAMES, 'plain'],
          'How the output is read. `plain`, the default for a `command`: standard output is the answer.',
        ),
      ),
      fallback: v.optional(
        v.pipe(
          v.array(words('The name of a provider.')),
          v.description(
            'Providers to switch to, in this order, if this one is at its usage limit, overloaded, not signed in or not installed.',
          ),
        ),
      ),
      ...toolEntries,
      ask: v.optional(askRules),
      ...sandboxEntries,
      timeout_sec: v.optional(seconds('The time limit of one call, for steps without `timeout_sec`.')),
      worker: v.optional(
        workerLabel(
          'With `run --engine`: the label of the workers that have it, for steps without `worker`.',
        ),
      ),
      script: v.optional(
        v.pipe(mockScript, v.description('For the adapter `mock`: what it does and what it answers.')),
      ),
      result: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^(?:text|last-line|json:.+)$/, 'must be `text`, `last-line` or `json:<path>`'),
          v.description(
            'For the adapter `plain`: where the answer is in standard output: `text` (all of it), `last-line`, or `json:<path>`.',
          ),
        ),
      ),
      exit_codes: v.optional(
        v.pipe(
          v.record(
            v.pipe(
              v.string(),
              v.regex(/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/, 'must be an exit code, 0 to 255'),
            ),
            oneOf(EXIT_CODE_OUTCOMES, 'An outcome.'),
          ),
          v.description('For the adapter `plain`: the outcome for each exit code. 0 means `done`.'),
        ),
      ),
    }),
    v.description('How an agent is started.'),
  ),
);
