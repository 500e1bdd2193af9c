import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  type ExitMeaning,
  fitsArgument,
  inHome,
  type SeenBeforeExit,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { qwenMcpConfig } from './mcp-config.ts';
import { createQwenReader } from './qwen-events.ts';

/** Its APIs, and where a sign-in is renewed. */
const HOSTS = [
  'dashscope.aliyuncs.com',
  '*.aliyuncs.com',
  'chat.qwen.ai',
  'portal.qwen.ai',
  '*.modelscope.cn',
];

/** Qwen Code, headless. It reports tokens, but no costs, and waits for the end of a usage limit on its own, up to ten minutes. */
export const qwen: AgentAdapter = {
  name: 'qwen',
  binary: 'qwen',
  continues: true,
  forks: true,
  limitsTurns: true,
  limitsBudget: false,
  mcpConfig: qwenMcpConfig,
  stateIn: (env) => ({ folders: inHome(env, '.qwen') }),
  modelHosts: (env) => (env['OPENAI_BASE_URL'] === undefined ? HOSTS : [env['OPENAI_BASE_URL']]),
  call,
  createReader: createQwenReader,
  exitMeaning,
};

/** Every tool of its own that works on files, the shell, the network or other agents. */
const OWN_TOOLS = [
  ...['read_file', 'read_many_files', 'write_file', 'edit', 'notebook_edit', 'grep_search', 'glob'],
  ...['list_directory', 'run_shell_command', 'web_fetch', 'web_search', 'agent', 'task', 'skill', 'monitor'],
  ...['tool_call', 'tool_search', 'enter_worktree', 'exit_worktree', 'record_artifact', 'send_message'],
  ...['cron_create', 'cron_list', 'cron_delete', 'loop_wakeup', 'zoom_image', 'save_memory', 'todo_write'],
];

function call(request: AgentRequest): AgentCall {
  const { session, tools = {} } = request;
  const systemFits = request.systemPrompt === undefined || fitsArgument(request.systemPrompt);
  const isHeard = systemFits && session === undefined;
  const argv = [...(request.command ?? [qwen.binary]), '-o', 'stream-json'];
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (request.systemPrompt !== undefined && isHeard)
    argv.push(`--append-system-prompt=${request.systemPrompt}`);
  if (session !== undefined) argv.push(`--resume=${session.sessionId}`);
  if (session?.type === 'fork') argv.push('--fork-session');
  if (request.maxTurns !== undefined) argv.push(`--max-session-turns=${request.maxTurns}`);
  if (request.toolsOff === true)
    argv.push('--safe-mode', ...OWN_TOOLS.map((tool) => `--exclude-tools=${tool}`));
  else if (request.permissions === 'bypass') argv.push('--approval-mode=yolo');
  for (const tool of tools.denied ?? []) argv.push(`--exclude-tools=${tool}`);
  if (request.mcpFile !== undefined) argv.push(`--mcp-config=${request.mcpFile}`);
  for (const folder of request.folders ?? []) argv.push(`--add-dir=${folder}`);
  argv.push(...(request.extraArgs ?? []));
  const prompt = isHeard ? request.prompt : withSystemPrompt(request);
  return {
    argv,
    stdin: withSchemaInWords(prompt, request.jsonSchema),
    env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
  };
}

function exitMeaning(exitCode: number, seen: SeenBeforeExit): ExitMeaning | undefined {
  switch (exitCode) {
    case 53:
      return { type: 'max-turns' };
    // A limit of the user's own arguments: `--max-wall-time`, `--max-tool-calls`.
    case 55:
      return { type: 'over-budget' };
    case 1:
      return seen.events === 0 ? { type: 'invalid-input' } : undefined;
    default:
      return undefined;
  }
}
