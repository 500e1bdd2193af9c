/** Which tools an agent may use, in the names of its own CLI. */
import type { AgentName } from './agent.ts';

export interface AgentTools {
  /** Used without asking for permission. */
  readonly allowed?: readonly string[];
  /** Never used. */
  readonly denied?: readonly string[];
  readonly mcp?: McpChoice;
}

export type McpChoice =
  | { readonly type: 'servers'; readonly servers: { readonly [name: string]: McpServer } }
  /** A file of the workspace, in the CLI's own format. */
  | { readonly type: 'file'; readonly path: string };

/** Contains names of secrets, never their values. */
export type McpServer =
  | {
      readonly type: 'command';
      readonly command: readonly string[];
      readonly env?: { readonly [name: string]: string };
      /** Environment variables that are passed on to it. */
      readonly secrets?: readonly string[];
    }
  | {
      readonly type: 'url';
      readonly url: string;
      /** The environment variable that holds its token. */
      readonly bearerToken?: string;
    };

/** The keys of a workflow for these. */
export const TOOL_KEYS = ['allowed_tools', 'denied_tools', 'mcp_servers', 'mcp_config'] as const;

export type ToolKey = (typeof TOOL_KEYS)[number];

/** What each CLI has an option for. The mock agent has no tools, so nothing is lost on it. */
export const TOOL_KEYS_OF: { readonly [Name in AgentName]: readonly ToolKey[] } = {
  claude: TOOL_KEYS,
  gemini: ['allowed_tools', 'denied_tools'],
  codex: ['mcp_servers'],
  opencode: ['allowed_tools', 'denied_tools', 'mcp_servers'],
  copilot: TOOL_KEYS,
  // Its list of allowed tools grants nothing without a terminal.
  qwen: ['denied_tools', 'mcp_servers', 'mcp_config'],
  mock: TOOL_KEYS,
};

/** Agents that cannot take the token of an MCP server from the environment, so that it would have to be in a file. */
export const NO_BEARER_TOKEN: readonly string[] = ['qwen'];

/** The keys that these settings come from. */
export function toolKeysIn({ allowed, denied, mcp }: AgentTools): readonly ToolKey[] {
  return [
    ...(allowed === undefined ? [] : (['allowed_tools'] as const)),
    ...(denied === undefined ? [] : (['denied_tools'] as const)),
    ...(mcp === undefined ? [] : ([mcp.type === 'file' ? 'mcp_config' : 'mcp_servers'] as const)),
  ];
}

export function secretsOfTools(tools: AgentTools | undefined): readonly string[] {
  if (tools?.mcp?.type !== 'servers') return [];
  return Object.values(tools.mcp.servers).flatMap((server) =>
    server.type === 'command'
      ? (server.secrets ?? [])
      : server.bearerToken === undefined
        ? []
        : [server.bearerToken],
  );
}
