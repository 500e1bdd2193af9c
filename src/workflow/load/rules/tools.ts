/** Checks what a file says about the tools of agents: nothing of it may be lost on the way to the agent. */
import { NO_BEARER_TOKEN, TOOL_KEYS, TOOL_KEYS_OF, type ToolKey } from '../../../model/agent-tools.ts';
import { list } from '../../../store/yaml/shape/describe-shape.ts';
import type { StepSource } from '../../schema/step.ts';
import type { McpServerSource, ToolsSource } from '../../schema/tools.ts';
import { adapterOf } from '../define/define-provider.ts';
import { type Check, called, stepsOf } from './rule.ts';

export function checkTools(check: Check): void {
  const { providers = {}, defaults } = check.file.source;
  for (const [name, provider] of Object.entries(providers)) {
    checkServers(check, provider);
    for (const key of TOOL_KEYS)
      if (provider[key] !== undefined && !supports(check, name, key))
        refuse(check, { container: provider, key, who: `the provider \`${name}\`` });
    checkTokens(check, provider, [name]);
  }
  for (const { step } of stepsOf(check)) {
    checkServers(check, step);
    if (step.provider !== undefined || step.command_override !== undefined) {
      checkStep(check, step);
      checkTokens(check, step, agentsOf(check, step));
    }
  }
  if (defaults !== undefined) {
    checkServers(check, defaults);
    checkDefaults(check, defaults);
  }
}

function checkStep(check: Check, step: StepSource): void {
  for (const key of TOOL_KEYS) {
    if (step[key] === undefined) continue;
    const lacking = agentsOf(check, step).find((name) => !supports(check, name, key));
    if (lacking !== undefined)
      refuse(check, { container: step, key, who: `\`${lacking}\`, an agent of ${called(step)},` });
  }
  if (step.allowed_tools === undefined || step.permissions !== 'bypass') return;
  check.report.warning('workflow/no-effect', check.file.places.keyRange(step, 'allowed_tools'), {
    message: `\`allowed_tools\` has no effect on ${called(step)}, which may use all tools (\`permissions: bypass\`)`,
    help: 'remove `permissions: bypass`, or list what is not allowed under `denied_tools`',
  });
}

/** A default that is not passed on is a warning; that a tool is not denied is an error. */
function checkDefaults(check: Check, defaults: ToolsSource): void {
  const used = stepsOf(check).flatMap(({ step }) =>
    step.provider === undefined ? [] : agentsOf(check, step),
  );
  checkTokens(check, defaults, used);
  for (const key of TOOL_KEYS) {
    if (defaults[key] === undefined) continue;
    const lacking = [...new Set(used)].filter((name) => !supports(check, name, key));
    if (lacking.length === 0) continue;
    const words = {
      message: `\`${key}\` of \`defaults\` does not reach ${list(lacking)}, which lack an option for it`,
      help: 'set it on the steps or providers that support it',
    };
    const range = check.file.places.keyRange(defaults, key);
    if (key === 'denied_tools') check.report.error('workflow/unsupported-option', range, words);
    else check.report.warning('workflow/unsupported-option', range, words);
  }
}

/** The provider of a step and its fallbacks; an override is one command line, run as written. */
export function agentsOf(
  check: Check,
  { provider, command_override: override }: StepSource,
): readonly string[] {
  if (override !== undefined || provider === undefined) return ['command_override'];
  const declared = check.file.source.providers ?? {};
  const fallback = Object.hasOwn(declared, provider) ? declared[provider]?.fallback : undefined;
  return [provider, ...(fallback ?? [])];
}

/** A command of the file is run as written, so nothing can be added to it. */
function supports(check: Check, name: string, key: ToolKey): boolean {
  const declared = check.file.source.providers ?? {};
  const provider = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (provider?.command !== undefined || name === 'command_override') return false;
  const adapter = adapterOf(name, provider ?? {});
  // An unknown provider is reported by another rule.
  return adapter === 'plain' || TOOL_KEYS_OF[adapter].includes(key);
}

function refuse(
  check: Check,
  { container, key, who }: { readonly container: object; readonly key: ToolKey; readonly who: string },
): void {
  const able = Object.entries(TOOL_KEYS_OF).flatMap(([name, keys]) =>
    keys.includes(key) && name !== 'mock' ? [name] : [],
  );
  check.report.error('workflow/unsupported-option', check.file.places.keyRange(container, key), {
    message: `${who} has no option for \`${key}\``,
    help: `it works with the built-in command line of ${list(able)}`,
  });
}

function checkServers(check: Check, source: ToolsSource): void {
  const { places } = check.file;
  if (source.mcp_servers !== undefined && source.mcp_config !== undefined)
    check.report.error('workflow/conflicting-keys', places.keyRange(source, 'mcp_config'), {
      message: 'only one of `mcp_servers` and `mcp_config` is allowed',
    });
  for (const [name, server] of Object.entries(source.mcp_servers ?? {})) {
    checkServer(check, name, server);
    for (const index of (server.command ?? []).keys()) checkNoVariables(check, server.command ?? [], index);
    for (const key of Object.keys(server.env ?? {})) checkNoVariables(check, server.env ?? {}, key);
    checkNoVariables(check, server, 'url');
  }
}

function checkTokens(
  check: Check,
  { mcp_servers: servers = {} }: ToolsSource,
  agents: readonly string[],
): void {
  const declared = check.file.source.providers ?? {};
  const lacking = agents.find((name) =>
    NO_BEARER_TOKEN.includes(
      adapterOf(name, (Object.hasOwn(declared, name) ? declared[name] : undefined) ?? {}),
    ),
  );
  if (lacking === undefined) return;
  for (const server of Object.values(servers)) {
    if (server.bearer_token === undefined) continue;
    check.report.error('workflow/unsupported-option', check.file.places.keyRange(server, 'bearer_token'), {
      message: `\`${lacking}\` cannot take \`bearer_token\` from the environment`,
      help: "add the server to the agent's own settings, or use a server with `command` and `secrets`",
    });
  }
}

function checkServer(check: Check, name: string, server: McpServerSource): void {
  const { places } = check.file;
  const { command, url } = server;
  if (command === undefined && url === undefined) {
    if (!places.isWhole(server)) return;
    check.report.error('workflow/missing-key', places.keyRange(server, ''), {
      message: `the MCP server \`${name}\` needs the key \`command\` or \`url\``,
    });
    return;
  }
  const idle = command === undefined ? (['env', 'secrets'] as const) : (['url', 'bearer_token'] as const);
  for (const key of idle) {
    if (server[key] === undefined) continue;
    check.report.error('workflow/conflicting-keys', places.keyRange(server, key), {
      message: `the MCP server \`${name}\` has \`${command === undefined ? 'url' : 'command'}\`, so \`${key}\` is not allowed`,
    });
  }
}

/** The agent would replace `$NAME` by the value of a variable of its own environment. */
function checkNoVariables(check: Check, container: object, key: string | number): void {
  const text: unknown = Reflect.get(container, key);
  if (typeof text !== 'string' || !text.includes('$')) return;
  check.report.error('workflow/invalid-value', check.file.places.valueRange(container, key), {
    message: `\`${text}\` contains \`$\`, but nothing is substituted in \`mcp_servers\``,
    help: 'pass values in environment variables: `env` of the step, and their names under `secrets` of the server',
  });
}
