/**
 * Puts `defaults` and the top-level `env` into the steps that do not set them, before any rule looks at them: rules, definition and a
 * comparison with an earlier version all see the step as it runs. What a provider can set as well goes to the providers
 * (`define-provider.ts`): a step has precedence over its provider, and that over `defaults`.
 */
import type { Places } from '../../store/yaml/places.ts';
import type { StepSource } from '../schema/step.ts';
import type { WorkflowSource } from '../schema/workflow-file.ts';
import { kindsOf } from './rules/step-kind.ts';
import { isCommandStep } from './script-argv.ts';
import type { StepIndex } from './step-index.ts';

/** For every step that starts a process. */
const PROCESS_DEFAULTS = ['working_dir', 'secrets', 'idle_timeout_sec', 'retries'] as const;

/** For commands; those of agents are in their providers. */
const COMMAND_DEFAULTS = ['timeout_sec', 'sandbox', 'network', 'allow_hosts'] as const;

/** For steps that call an agent. */
const AGENT_DEFAULTS = ['system_prompt', 'permissions', 'max_turns', 'max_budget_usd'] as const;

type Changeable = { -readonly [Key in keyof StepSource]: StepSource[Key] };

export function applyDefaults(
  source: WorkflowSource,
  { index, places }: { readonly index: StepIndex; readonly places: Places },
): void {
  if (source.defaults === undefined && source.env === undefined) return;
  for (const { step } of index.places) applyTo(step, source, places);
}

function applyTo(step: Changeable, { env, defaults = {} }: WorkflowSource, places: Places): void {
  if (kindsOf(step).length === 0 && defaults.provider !== undefined && hasPrompt(step))
    step.provider = defaults.provider;
  const [kind] = kindsOf(step);
  if (!isCommandStep(step) && kind !== 'provider' && kind !== 'command_override') return;
  if (env !== undefined) step.env = { ...env, ...step.env };
  if (defaults.output_capture !== undefined && !places.has(step, 'output_capture'))
    step.output_capture = defaults.output_capture;
  if (isCommandStep(step)) for (const key of COMMAND_DEFAULTS) setUnlessSet(step, key, defaults[key]);
  for (const key of PROCESS_DEFAULTS) setUnlessSet(step, key, defaults[key]);
  if (kind === 'script') setUnlessSet(step, 'shell', defaults.shell);
  if (kind === 'provider') for (const key of AGENT_DEFAULTS) setUnlessSet(step, key, defaults[key]);
}

function setUnlessSet<Key extends keyof StepSource>(
  step: Changeable,
  key: Key,
  value: StepSource[Key],
): void {
  if (value !== undefined && step[key] === undefined) step[key] = value;
}

/** A step that says what an agent should do, but not which agent. */
export function hasPrompt(step: StepSource): boolean {
  return step.prompt !== undefined || step.input_file !== undefined;
}
