/** Values for steps that do not set them. */
import * as v from 'valibot';
import { agentEntries } from './agent.ts';
import { later } from './later.ts';
import { retries } from './retries.ts';
import { sandboxEntries } from './sandbox.ts';
import { environmentName, jsonRecord, oneOf, seconds, text, words } from './scalars.ts';
import { workEntries } from './work.ts';

export const environment = (description: string) =>
  v.pipe(
    v.record(environmentName('The name of the variable.'), text('Its value, used as written.')),
    v.description(description),
  );

export const secrets = v.pipe(
  v.array(environmentName('The name of an environment variable.')),
  v.description(
    'Environment variables that are passed to the process and masked wherever output is stored or shown.',
  ),
);

export const capture = oneOf(
  ['text', 'lines', 'json'],
  'What `${steps.<Name>.…}` offers: `output`, `lines` or `json`.',
);

export type DefaultsSource = v.InferOutput<typeof defaults>;

export const defaults = later(() =>
  v.pipe(
    v.strictObject({
      provider: v.optional(words('The agent of steps that have a prompt and nothing else to do.')),
      provider_params: v.optional(
        jsonRecord('Parameters of agents, for names that neither the step nor the provider sets.'),
      ),
      ...agentEntries,
      shell: workEntries.shell,
      working_dir: workEntries.working_dir,
      ...sandboxEntries,
      output_capture: v.optional(capture),
      secrets: v.optional(secrets),
      timeout_sec: v.optional(
        seconds('The time limit of commands and agents; the `timeout_sec` of a provider has precedence.'),
      ),
      idle_timeout_sec: v.optional(seconds('The time limit without any output; the step is then stopped.')),
      retries: v.optional(retries),
    }),
    v.description('Values for steps that do not set them.'),
  ),
);
