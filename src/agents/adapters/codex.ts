import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  inHome,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { createCodexReader } from './codex-events.ts';
import { codexMcpSettings } from './mcp-config.ts';
import { isStrictSchema } from './strict-schema.ts';

/** Its API, and where a sign-in is renewed. */
const HOSTS = ['api.openai.com', 'chatgpt.com', 'auth.openai.com'];

/** Codex, headless. It does not report costs and has no option for turns or budget. */
export const codex: AgentAdapter = {
  name: 'codex',
  binary: 'codex',
  continues: true,
  forks: true,
  limitsTurns: false,
  limitsBudget: false,
  stateIn: ({ CODEX_HOME: home, ...env }) => ({
    folders: home === undefined ? inHome(env, '.codex') : [home],
  }),
  modelHosts: (env) => (env['OPENAI_BASE_URL'] === undefined ? HOSTS : [env['OPENAI_BASE_URL']]),
  call,
  createReader: createCodexReader,
  exitMeaning: (exitCode, seen) =>
    exitCode === 2 || (exitCode === 1 && seen.events === 0) ? { type: 'invalid-input' } : undefined,
};

/** It cannot disable its patches or the user's MCP servers: the sandbox blocks the patches, the servers stay. */
const TOOLS_OFF = [
  ...['sandbox_mode=read-only', 'approval_policy=never', 'web_search=disabled'],
  ...['shell_tool', 'unified_exec', 'view_image', 'multi_agent', 'apps'].map(
    (name) => `features.${name}=false`,
  ),
];

function call(request: AgentRequest): AgentCall {
  const { session } = request;
  const argv = [...(request.command ?? [codex.binary]), 'exec'];
  if (session !== undefined) argv.push(session.type === 'fork' ? 'fork' : 'resume');
  argv.push('--json', '--skip-git-repo-check');
  if (request.toolsOff === true) argv.push(...TOOLS_OFF.flatMap((setting) => ['-c', setting]));
  else if (request.permissions === 'bypass') argv.push('--dangerously-bypass-approvals-and-sandbox');
  // A sandbox in a sandbox fails; its approvals stay.
  else if (request.isSandboxed === true) argv.push('-c', 'sandbox_mode=danger-full-access');
  const { mcp } = request.tools ?? {};
  if (mcp?.type === 'servers')
    argv.push(...codexMcpSettings(mcp.servers).flatMap((setting) => ['-c', setting]));
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  // Its API accepts only strict schemas and otherwise rejects the whole call.
  const schemaByFile =
    request.jsonSchema !== undefined &&
    request.schemaFile !== undefined &&
    isStrictSchema(request.jsonSchema);
  if (schemaByFile) argv.push(`--output-schema=${request.schemaFile}`);
  argv.push(...(request.extraArgs ?? []));
  if (session !== undefined) argv.push(session.sessionId);
  argv.push('-');
  const prompt = withSystemPrompt(request);
  return { argv, stdin: schemaByFile ? prompt : withSchemaInWords(prompt, request.jsonSchema), env: {} };
}
