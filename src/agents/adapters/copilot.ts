import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  inHome,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { createCopilotReader } from './copilot-events.ts';
import { copilotMcpConfig } from './mcp-config.ts';

/** Its API, and where a sign-in is renewed. */
const HOSTS = ['githubcopilot.com', '*.githubcopilot.com', 'api.github.com', 'github.com'];

/** GitHub Copilot CLI, headless. It reports neither cost nor tokens, and has no option for turns, a schema or a system prompt. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  binary: 'copilot',
  continues: true,
  forks: false,
  takesSessionId: true,
  limitsTurns: false,
  limitsBudget: false,
  mcpConfig: copilotMcpConfig,
  stateIn: ({ COPILOT_HOME: home, XDG_CACHE_HOME: cache, ...env }) => ({
    folders: [
      ...(home === undefined ? inHome(env, '.copilot') : [home]),
      ...(cache === undefined ? inHome(env, '.cache/copilot') : [`${cache}/copilot`]),
    ],
  }),
  modelHosts: (env) =>
    env['COPILOT_PROVIDER_BASE_URL'] === undefined ? HOSTS : [env['COPILOT_PROVIDER_BASE_URL']],
  call,
  createReader: createCopilotReader,
  exitMeaning: (exitCode, seen) =>
    exitCode === 2 || (exitCode === 1 && seen.events === 0) ? { type: 'invalid-input' } : undefined,
};

function call(request: AgentRequest): AgentCall {
  const { session, newSessionId, tools = {} } = request;
  const argv = [...(request.command ?? [copilot.binary]), '--output-format', 'json'];
  // Nobody is there to answer, and an update in the middle of the night would change the program under a run.
  argv.push('--no-ask-user', '--no-auto-update', '--no-color');
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (session !== undefined) argv.push(`--resume=${session.sessionId}`);
  // It reports the id only in its last line, which a killed process never prints.
  else if (newSessionId !== undefined) argv.push(`--session-id=${newSessionId}`);
  if (request.toolsOff === true) argv.push('--available-tools=none', '--disable-builtin-mcps');
  else if (request.permissions === 'bypass') argv.push('--allow-all');
  for (const tool of tools.allowed ?? []) argv.push(`--allow-tool=${tool}`);
  for (const tool of tools.denied ?? []) argv.push(`--deny-tool=${tool}`);
  if (request.mcpFile !== undefined) argv.push(`--additional-mcp-config=@${request.mcpFile}`);
  for (const folder of request.folders ?? []) argv.push(`--add-dir=${folder}`);
  argv.push(...(request.extraArgs ?? []));
  return {
    argv,
    stdin: withSchemaInWords(withSystemPrompt(request), request.jsonSchema),
    env: {},
    ...(session === undefined && newSessionId !== undefined ? { sessionId: newSessionId } : {}),
  };
}
