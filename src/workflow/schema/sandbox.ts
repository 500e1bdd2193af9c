/** What a process may touch, on a step, a provider or in `defaults`. */
import * as v from 'valibot';
import { NETWORK_LEVELS, SANDBOX_LEVELS } from '../../model/sandbox.ts';
import { oneOf, words } from './scalars.ts';

export const sandboxEntries = {
  sandbox: v.optional(
    oneOf(
      [...SANDBOX_LEVELS, 'off'],
      'What the process or agent may write: nothing, or only the workspace. Credentials of other programs are hidden. Needs bubblewrap (Linux).',
    ),
  ),
  network: v.optional(
    oneOf(
      NETWORK_LEVELS,
      'With `sandbox`: what it may reach. Default: `model`, the model of the agent and `allow_hosts`.',
    ),
  ),
  allow_hosts: v.optional(
    v.pipe(
      v.array(words('`host`, `host:port` or `*.host`.')),
      v.description('With `sandbox` and `network: model`: more addresses that it may reach.'),
    ),
  ),
};

const source = v.strictObject(sandboxEntries);

export type SandboxSource = v.InferOutput<typeof source>;
