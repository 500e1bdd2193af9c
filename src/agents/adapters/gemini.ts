import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  type ExitMeaning,
  inHome,
  type SeenBeforeExit,
  type ToolRequest,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { createGeminiReader } from './gemini-events.ts';

/** Its API by key, by Google account and by Vertex AI, and where a sign-in is renewed. */
const HOSTS = [
  ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'aiplatform.googleapis.com'],
  ...['oauth2.googleapis.com', 'accounts.google.com', 'www.googleapis.com'],
];

/**
 * Gemini CLI, headless. It does not report costs and has no option for turns, budget, a schema or MCP servers: its settings file of defaults
 * (`GEMINI_CLI_SYSTEM_DEFAULTS_PATH`) is ignored in folders of a user.
 */
export const gemini: AgentAdapter = {
  name: 'gemini',
  binary: 'gemini',
  continues: true,
  forks: false,
  limitsTurns: false,
  limitsBudget: false,
  policy,
  stateIn: (env) => ({ folders: inHome(env, '.gemini') }),
  modelHosts: (env) =>
    env['GOOGLE_GEMINI_BASE_URL'] === undefined ? HOSTS : [env['GOOGLE_GEMINI_BASE_URL']],
  call,
  createReader: createGeminiReader,
  exitMeaning,
};

function call(request: AgentRequest): AgentCall {
  const argv = [...(request.command ?? [gemini.binary]), '-o', 'stream-json'];
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (request.session !== undefined) argv.push(`--resume=${request.session.sessionId}`);
  if (request.permissions === 'bypass') argv.push('--approval-mode=yolo', '--skip-trust');
  if (request.policyFile !== undefined) argv.push(`--admin-policy=${request.policyFile}`);
  argv.push(...(request.extraArgs ?? []));
  return {
    argv,
    stdin: withSchemaInWords(withSystemPrompt(request), request.jsonSchema),
    // Otherwise it restarts itself as a child process that outlives it.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  };
}

/** Denied tools win over allowed ones. */
function policy({ toolsOff, tools = {} }: ToolRequest): string | undefined {
  const rules = [
    ...(toolsOff === true ? [rule('*', 'deny', 999)] : []),
    ...(tools.denied ?? []).map((name) => rule(name, 'deny', 998)),
    ...(tools.allowed ?? []).map((name) => rule(name, 'allow', 997)),
  ];
  return rules.length === 0 ? undefined : rules.join('\n');
}

/** `run_shell_command(git status)` is a shell command that starts with these words. */
function rule(tool: string, decision: 'allow' | 'deny', priority: number): string {
  const [, name = tool, prefix] = /^([^()]+)\((.*)\)$/s.exec(tool) ?? [];
  const command = prefix === undefined ? '' : `commandPrefix = ${JSON.stringify(prefix)}\n`;
  return `[[rule]]\ntoolName = ${JSON.stringify(name)}\n${command}decision = "${decision}"\npriority = ${priority}\n`;
}

/** The error that ended it, as Node prints it at the end of its stack: more specific than exit code 1. */
const PRINTED_CODE = /^ {4}at .* \{\n {2}code: (\d{3})$/m;

function exitMeaning(exitCode: number, seen: SeenBeforeExit): ExitMeaning | undefined {
  switch (exitCode) {
    case 41:
      return { type: 'auth' };
    case 42:
      return { type: 'invalid-input' };
    case 53:
      return { type: 'max-turns' };
    case 55:
      return { type: 'denied' };
    case 1: {
      if (seen.events === 0) return { type: 'invalid-input' };
      const code = PRINTED_CODE.exec(seen.stderrTail)?.[1];
      return seen.result && code !== undefined ? { type: 'api-status', status: Number(code) } : undefined;
    }
  }
  // An exit code is an HTTP status modulo 256: 400 to 511 map to values above every signal's code.
  if (exitCode >= 144) return { type: 'api-status', status: exitCode + 256 };
  if (seen.result && exitCode > 0 && exitCode <= 87) return { type: 'api-status', status: exitCode + 512 };
  return undefined;
}
