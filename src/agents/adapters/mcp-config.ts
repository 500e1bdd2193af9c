/** MCP servers in the form of each CLI. Secrets are names of environment variables that the CLI itself reads. */

import type { McpServer } from '../../model/agent-tools.ts';
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';

type Servers = { readonly [name: string]: McpServer };

/** `.mcp.json` of Claude Code. */
export function claudeMcpConfig(servers: Servers): string {
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, asJson(server)]),
  );
  return JSON.stringify({ mcpServers }, null, 2);
}

function asJson(server: McpServer): JsonObject {
  if (server.type === 'url') {
    const { url, bearerToken } = server;
    const headers = bearerToken === undefined ? undefined : { Authorization: `Bearer \${${bearerToken}}` };
    return { type: 'http', url, ...defined({ headers }) };
  }
  const [command = '', ...args] = server.command;
  const secrets = (server.secrets ?? []).map((name) => [name, `\${${name}}`] as const);
  return { command, args, env: { ...server.env, ...Object.fromEntries(secrets) } };
}

/** `--mcp-config` of Qwen Code. It replaces no variables in it, but passes its own environment, with the secrets, on to a command. */
export function qwenMcpConfig(servers: Servers): string {
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, asQwen(server)]),
  );
  return JSON.stringify({ mcpServers }, null, 2);
}

function asQwen(server: McpServer): JsonObject {
  if (server.type === 'url') return { httpUrl: server.url };
  const [command = '', ...args] = server.command;
  return { command, args, env: { ...server.env } };
}

/** `mcp-config.json` of GitHub Copilot CLI. */
export function copilotMcpConfig(servers: Servers): string {
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, { ...asJson(server), tools: ['*'] }]),
  );
  return JSON.stringify({ mcpServers }, null, 2);
}

/** The configuration of opencode. It replaces `{env:…}` and `{file:…}` in the text, so every brace of a value is written as an escape. */
export function opencodeMcpConfig(servers: Servers): string {
  const mcp = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, asOpencode(server)]));
  return JSON.stringify({ mcp })
    .replaceAll(/\{(?=env:|file:)/g, '\\u007b')
    .replaceAll('\\u0000', '{env:');
}

/** Stands for the beginning of a reference of ours. */
const SECRET = '\u0000';

function asOpencode(server: McpServer): JsonObject {
  if (server.type === 'url') {
    const { url, bearerToken } = server;
    const headers =
      bearerToken === undefined ? undefined : { Authorization: `Bearer ${SECRET}${bearerToken}}` };
    return { type: 'remote', url, ...defined({ headers }), oauth: false };
  }
  const secrets = (server.secrets ?? []).map((name) => [name, `${SECRET}${name}}`] as const);
  return {
    type: 'local',
    command: [...server.command],
    environment: { ...server.env, ...Object.fromEntries(secrets) },
  };
}

/** `-c` settings of Codex: `mcp_servers.<name>=<inline table>`. */
export function codexMcpSettings(servers: Servers): readonly string[] {
  return Object.entries(servers).map(([name, server]) => `mcp_servers.${name}=${toml(asToml(server))}`);
}

function asToml(server: McpServer): JsonObject {
  if (server.type === 'url')
    return { url: server.url, ...defined({ bearer_token_env_var: server.bearerToken }) };
  const [command = '', ...args] = server.command;
  return { command, args, ...defined({ env: server.env, env_vars: server.secrets }) };
}

/** JSON strings are TOML strings, except for the character DEL. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${toml(key)} = ${toml(inner)}`)
      .join(', ')}}`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}
