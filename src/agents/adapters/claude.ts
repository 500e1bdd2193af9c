import { singleQuoted } from '../../template/quote.ts';
import {
  type AgentAdapter,
  type AgentCall,
  type AgentEnvironment,
  type AgentRequest,
  type AgentState,
  fitsArgument,
  inHome,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { createClaudeReader, GUARD_READY } from './claude-events.ts';
import { claudeMcpConfig } from './mcp-config.ts';

/** Its API, and where a sign-in is renewed. */
const HOSTS = ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'];

/** Claude Code, headless. */
export const claude: AgentAdapter = {
  name: 'claude',
  binary: 'claude',
  continues: true,
  forks: true,
  limitsTurns: true,
  limitsBudget: true,
  mcpConfig: claudeMcpConfig,
  stateIn,
  modelHosts: (env) => (env['ANTHROPIC_BASE_URL'] === undefined ? HOSTS : [env['ANTHROPIC_BASE_URL']]),
  call,
  createReader: createClaudeReader,
  // A rejected call (unknown flag, no prompt) exits with 1 before the first event; every other end has a result.
  exitMeaning: (exitCode, seen) =>
    exitCode === 1 && seen.events === 0 ? { type: 'invalid-input' } : undefined,
};

/** Since `CLAUDE_CONFIG_DIR` replaces both of its places in the home folder. */
function stateIn(env: AgentEnvironment): AgentState {
  const { CLAUDE_CONFIG_DIR: config, CLAUDE_CODE_TMPDIR: temporary } = env;
  return {
    folders: [
      ...(config === undefined ? inHome(env, '.claude') : [config]),
      ...(temporary === undefined ? [] : [temporary]),
    ],
    files: config === undefined ? inHome(env, '.claude.json') : [],
  };
}

/** Disables even servers and hooks of the folder; the user's global settings stay. Structured answers still work. */
const TOOLS_OFF = ['--tools', '', '--strict-mcp-config', '--setting-sources=user'];

function call(request: AgentRequest): AgentCall {
  const schema = request.jsonSchema === undefined ? undefined : JSON.stringify(request.jsonSchema);
  const schemaFits = schema === undefined || fitsArgument(schema);
  const systemFits = request.systemPrompt === undefined || fitsArgument(request.systemPrompt);
  const argv = [...(request.command ?? [claude.binary]), '-p', '--output-format', 'stream-json', '--verbose'];
  // The message of a hook that stops the agent is reported nowhere else.
  argv.push('--include-hook-events');
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (request.systemPrompt !== undefined && systemFits)
    argv.push('--append-system-prompt', request.systemPrompt);
  if (schema !== undefined && schemaFits) argv.push('--json-schema', schema);
  if (request.session !== undefined) argv.push(`--resume=${request.session.sessionId}`);
  if (request.session?.type === 'fork') argv.push('--fork-session');
  if (request.maxTurns !== undefined) argv.push(`--max-turns=${request.maxTurns}`);
  if (request.maxBudgetUsd !== undefined) argv.push(`--max-budget-usd=${request.maxBudgetUsd}`);
  if (request.toolsOff === true) argv.push(...TOOLS_OFF);
  else if (request.permissions === 'bypass') argv.push('--dangerously-skip-permissions');
  if (request.guard !== undefined) argv.push('--settings', guardSettings(request.guard));
  for (const folder of request.folders ?? []) argv.push(`--add-dir=${folder}`);
  argv.push(...toolOptions(request));
  argv.push(...(request.extraArgs ?? []));
  // Some versions keep the system prompt a conversation was started with and ignore a new one.
  const isHeard = systemFits && request.session === undefined;
  const prompt = isHeard ? request.prompt : withSystemPrompt(request);
  return {
    argv,
    stdin: schemaFits ? prompt : withSchemaInWords(prompt, request.jsonSchema),
    // One process, one result: a background subagent would continue after it.
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
  };
}

/** A tool whose hook takes longer than its limit runs: one that hangs is ended by the limits of the step. */
const HOOK_TIMEOUT_S = 86_400;

/** Added to the hooks of the user and the folder, which still run. */
function guardSettings(guard: string): string {
  // On stderr, so that the model does not see it.
  const ready = `echo ${singleQuoted(GUARD_READY)} >&2`;
  return JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: ready }] }],
      PreToolUse: [{ hooks: [{ type: 'command', command: `${guard} || exit 2`, timeout: HOOK_TIMEOUT_S }] }],
    },
  });
}

/** With servers of its own, it starts none of the user's or the folder's. */
function toolOptions({ tools = {}, mcpFile }: AgentRequest): readonly string[] {
  const { allowed = [], denied = [] } = tools;
  return [
    ...(allowed.length === 0 ? [] : [`--allowedTools=${allowed.join(',')}`]),
    ...(denied.length === 0 ? [] : [`--disallowedTools=${denied.join(',')}`]),
    ...(mcpFile === undefined ? [] : [`--mcp-config=${mcpFile}`, '--strict-mcp-config']),
  ];
}
