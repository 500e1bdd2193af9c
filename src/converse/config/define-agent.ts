import { AGENT_NAMES, type AgentName } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import type { JsonValue } from '../../model/json.ts';
import type { ConverseAgent } from '../input.ts';
import type { AgentSource } from './schema.ts';

export const DEFAULT_AGENT: AgentSource = { name: 'claude' };

function isBuiltinAgent(name: string): name is AgentName {
  return (AGENT_NAMES as readonly string[]).includes(name);
}

/** Undefined: the name is unknown and there is no command to start. */
export function defineAgent(source: AgentSource): ConverseAgent | undefined {
  const { name, command } = source;
  const common = {
    name,
    ...defined({ model: source.model, permissions: source.permissions, maxTurns: source.max_turns }),
    ...(source.timeout_sec === undefined ? {} : { timeoutMs: Math.round(source.timeout_sec * 1000) }),
    ...(source.idle_timeout_sec === undefined
      ? {}
      : { idleTimeoutMs: Math.round(source.idle_timeout_sec * 1000) }),
  };
  if (isBuiltinAgent(name)) {
    return {
      ...common,
      choice: {
        type: 'builtin',
        adapter: name,
        ...defined({ command, extraArgs: source.args }),
        ...(source.script === undefined ? {} : { script: source.script as JsonValue }),
      },
    };
  }
  if (command === undefined) return undefined;
  return {
    ...common,
    choice: {
      type: 'template',
      name,
      adapter: 'plain',
      argv: [...command, ...(source.args ?? [])],
      inputMode: 'stdin',
    },
  };
}
