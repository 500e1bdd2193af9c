import type { AgentTools, McpChoice, McpServer, ToolKey } from '../../../model/agent-tools.ts';
import { defined } from '../../../model/defined.ts';
import type { McpServerSource, ToolsSource } from '../../schema/tools.ts';

/** Undefined if nothing is said about tools. `supported` leaves out what the agent has no option for. */
export function defineTools(source: ToolsSource, supported?: readonly ToolKey[]): AgentTools | undefined {
  const isKept = (key: ToolKey) => supported?.includes(key) !== false;
  const mcp = mcpOf(source, isKept);
  const tools: AgentTools = {
    ...(isKept('allowed_tools') ? defined({ allowed: source.allowed_tools }) : {}),
    ...(isKept('denied_tools') ? defined({ denied: source.denied_tools }) : {}),
    ...defined({ mcp }),
  };
  return Object.keys(tools).length === 0 ? undefined : tools;
}

function mcpOf(source: ToolsSource, isKept: (key: ToolKey) => boolean): McpChoice | undefined {
  if (source.mcp_config !== undefined && isKept('mcp_config'))
    return { type: 'file', path: source.mcp_config };
  if (source.mcp_servers === undefined || !isKept('mcp_servers')) return undefined;
  const servers = Object.entries(source.mcp_servers).map(
    ([name, server]) => [name, serverOf(server)] as const,
  );
  return { type: 'servers', servers: Object.fromEntries(servers) };
}

function serverOf(source: McpServerSource): McpServer {
  const { command, url, env, secrets, bearer_token: bearerToken } = source;
  if (command === undefined) return { type: 'url', url: url ?? '', ...defined({ bearerToken }) };
  return { type: 'command', command, ...defined({ env, secrets }) };
}
