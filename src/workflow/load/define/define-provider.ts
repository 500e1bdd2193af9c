import { AGENT_NAMES } from '../../../model/agent.ts';
import { TOOL_KEYS_OF } from '../../../model/agent-tools.ts';
import { defineAsk } from '../../../model/ask-schema.ts';
import { defined } from '../../../model/defined.ts';
import type { ProviderDefinition } from '../../definition.ts';
import type { DefaultsSource } from '../../schema/defaults.ts';
import type { ProviderSource } from '../../schema/provider.ts';
import type { SandboxSource } from '../../schema/sandbox.ts';
import { defineSandbox } from './define-sandbox.ts';
import { defineTools } from './define-tools.ts';
import { limitMs } from './limit-ms.ts';

/** The provider of a step that has only `command_override`: just that command. */
export const OVERRIDE_PROVIDER = 'plain';

export function defineProviders(
  declared: { readonly [name: string]: ProviderSource },
  defaults: DefaultsSource = {},
): { readonly [name: string]: ProviderDefinition } {
  const providers: { [name: string]: ProviderDefinition } = Object.create(null);
  const builtIn = {
    defaults: defaults.provider_params ?? {},
    fallback: [],
    ...timeoutOf(defaults),
    ...sandboxOf({}, defaults),
  };
  providers[OVERRIDE_PROVIDER] = { adapter: 'plain', inputMode: 'argv', ...builtIn };
  for (const name of AGENT_NAMES)
    providers[name] = { adapter: name, inputMode: 'stdin', ...builtIn, ...toolsOf(name, {}, defaults) };
  for (const [name, source] of Object.entries(declared))
    providers[name] = defineProvider(name, source, defaults);
  return providers;
}

function defineProvider(name: string, source: ProviderSource, defaults: DefaultsSource): ProviderDefinition {
  return {
    adapter: adapterOf(name, source),
    ...defined({ command: source.command }),
    inputMode: source.input_mode ?? (source.command === undefined ? 'stdin' : 'argv'),
    defaults: { ...defaults.provider_params, ...source.defaults },
    fallback: source.fallback ?? [],
    ...timeoutOf(defaults),
    ...timeoutOf(source),
    ...toolsOf(name, source, defaults),
    ...sandboxOf(source, defaults),
    ...(source.ask === undefined ? {} : { ask: defineAsk(source.ask) }),
    ...defined({
      worker: source.worker,
      script: source.script,
      result: source.result,
      exitCodes: source.exit_codes,
    }),
  };
}

/** Its own, and those of `defaults` that it supports. */
function toolsOf(
  name: string,
  source: ProviderSource,
  defaults: DefaultsSource,
): Pick<ProviderDefinition, 'tools'> {
  const adapter = adapterOf(name, source);
  const supported = adapter === 'plain' || source.command !== undefined ? [] : TOOL_KEYS_OF[adapter];
  const tools = { ...defineTools(defaults, supported), ...defineTools(source) };
  return Object.keys(tools).length === 0 ? {} : { tools };
}

/** Its own, and those of `defaults`. */
function sandboxOf(source: SandboxSource, defaults: DefaultsSource): Pick<ProviderDefinition, 'sandbox'> {
  const sandbox = { ...defineSandbox(defaults), ...defineSandbox(source) };
  return Object.keys(sandbox).length === 0 ? {} : { sandbox };
}

function timeoutOf({ timeout_sec: seconds }: { readonly timeout_sec?: number | undefined }) {
  return seconds === undefined ? {} : { timeoutMs: limitMs(seconds) };
}

/** A command in the file is run exactly as written with the `plain` adapter, unless the file names another one. */
export function adapterOf(name: string, source: ProviderSource): ProviderDefinition['adapter'] {
  if (source.adapter !== undefined) return source.adapter;
  const builtIn = AGENT_NAMES.find((known) => known === name);
  return source.command === undefined && builtIn !== undefined ? builtIn : 'plain';
}
