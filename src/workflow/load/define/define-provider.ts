import { AGENT_NAMES } from '../../../model/agent.ts';
import { defined } from '../../../model/defined.ts';
import type { ProviderDefinition } from '../../definition.ts';
import type { ProviderSource } from '../../schema/provider.ts';
import { limitMs } from './limit-ms.ts';

/** The provider of a step that has only `command_override`: just that command. */
export const OVERRIDE_PROVIDER = 'plain';

export function defineProviders(declared: { readonly [name: string]: ProviderSource }): {
  readonly [name: string]: ProviderDefinition;
} {
  const providers: { [name: string]: ProviderDefinition } = Object.create(null);
  providers[OVERRIDE_PROVIDER] = { adapter: 'plain', inputMode: 'argv', defaults: {}, fallback: [] };
  for (const name of AGENT_NAMES) {
    providers[name] = { adapter: name, inputMode: 'stdin', defaults: {}, fallback: [] };
  }
  for (const [name, source] of Object.entries(declared)) providers[name] = defineProvider(name, source);
  return providers;
}

function defineProvider(name: string, source: ProviderSource): ProviderDefinition {
  return {
    adapter: adapterOf(name, source),
    ...defined({ command: source.command }),
    inputMode: source.input_mode ?? (source.command === undefined ? 'stdin' : 'argv'),
    defaults: source.defaults ?? {},
    fallback: source.fallback ?? [],
    ...(source.timeout_sec === undefined ? {} : { timeoutMs: limitMs(source.timeout_sec) }),
    ...defined({ script: source.script, result: source.result, exitCodes: source.exit_codes }),
  };
}

/** A command in the file is run exactly as written with the `plain` adapter, unless the file names another one. */
export function adapterOf(name: string, source: ProviderSource): ProviderDefinition['adapter'] {
  if (source.adapter !== undefined) return source.adapter;
  const builtIn = AGENT_NAMES.find((known) => known === name);
  return source.command === undefined && builtIn !== undefined ? builtIn : 'plain';
}
