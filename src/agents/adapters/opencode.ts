import {
  type AgentAdapter,
  type AgentCall,
  type AgentEnvironment,
  type AgentRequest,
  type AgentState,
  inHome,
  type ToolRequest,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { opencodeMcpConfig } from './mcp-config.ts';
import { createOpencodeReader } from './opencode-events.ts';

/** Its own service and list of models. Those of other providers are the user's to allow. */
const HOSTS = ['opencode.ai', '*.opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com'];

/**
 * opencode, headless. It has no option for turns, budget, a schema or a system prompt, and waits for the end of a usage limit on its own without
 * a word, so it wants an idle limit.
 */
export const opencode: AgentAdapter = {
  name: 'opencode',
  binary: 'opencode',
  continues: true,
  forks: true,
  limitsTurns: false,
  limitsBudget: false,
  stateIn,
  modelHosts: () => HOSTS,
  call,
  createReader: createOpencodeReader,
  exitMeaning: (exitCode, seen) =>
    exitCode === 1 && seen.events === 0 ? { type: 'invalid-input' } : undefined,
};

const FOLDERS = [
  ['XDG_CONFIG_HOME', '.config'],
  ['XDG_DATA_HOME', '.local/share'],
  ['XDG_STATE_HOME', '.local/state'],
  ['XDG_CACHE_HOME', '.cache'],
] as const;

function stateIn(env: AgentEnvironment): AgentState {
  return {
    folders: FOLDERS.flatMap(([variable, folder]) => {
      const base = env[variable];
      return base === undefined ? inHome(env, `${folder}/opencode`) : [`${base}/opencode`];
    }),
  };
}

function call(request: AgentRequest): AgentCall {
  const argv = [...(request.command ?? [opencode.binary]), 'run', '--format', 'json'];
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (request.session !== undefined) argv.push(`--session=${request.session.sessionId}`);
  if (request.session?.type === 'fork') argv.push('--fork');
  if (request.permissions === 'bypass' && request.toolsOff !== true) argv.push('--auto');
  argv.push(...(request.extraArgs ?? []));
  const permission = permissionsFor(request);
  const { mcp } = request.tools ?? {};
  return {
    argv,
    stdin: withSchemaInWords(withSystemPrompt(request), request.jsonSchema),
    env: {
      // An update in the middle of the night would change the program under a run.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // Merged with the settings of the user and the folder.
      ...(mcp?.type === 'servers' ? { OPENCODE_CONFIG_CONTENT: opencodeMcpConfig(mcp.servers) } : {}),
      ...(permission === undefined ? {} : { OPENCODE_PERMISSION: JSON.stringify(permission) }),
    },
  };
}

/** Its settings for this call only; they are merged with the user's. A later rule wins over an earlier one. */
function permissionsFor({ toolsOff, tools = {} }: ToolRequest): { [tool: string]: Rules } | undefined {
  if (toolsOff === true) return { '*': 'deny' };
  const rules: { [tool: string]: Rules } = {};
  for (const name of tools.allowed ?? []) addRule(rules, name, 'allow');
  for (const name of tools.denied ?? []) addRule(rules, name, 'deny');
  return Object.keys(rules).length === 0 ? undefined : rules;
}

type Rules = 'allow' | 'deny' | { [pattern: string]: 'allow' | 'deny' };

/** `bash(git *)` is a tool and a pattern of what it may be used for. */
function addRule(rules: { [tool: string]: Rules }, text: string, decision: 'allow' | 'deny'): void {
  const [, tool = text, pattern] = /^([^()]+)\((.*)\)$/s.exec(text) ?? [];
  if (pattern === undefined) {
    rules[tool] = decision;
    return;
  }
  const known = rules[tool];
  rules[tool] = { ...(typeof known === 'string' ? { '*': known } : known), [pattern]: decision };
}
