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
