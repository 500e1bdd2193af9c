import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  type ExitMeaning,
  type SeenBeforeExit,
  withSchemaInWords,
  withSystemPrompt,
} from '../adapter.ts';
import { createGeminiReader } from './gemini-events.ts';

/** Gemini CLI, headless. It does not report costs and has no option for turns, budget or a schema. */
export const gemini: AgentAdapter = {
  name: 'gemini',
  binary: 'gemini',
  continues: true,
  forks: false,
  limitsTurns: false,
  limitsBudget: false,
  toolsOffPolicy: '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n',
  call,
  createReader: createGeminiReader,
  exitMeaning,
};

function call(request: AgentRequest): AgentCall {
  const argv = [...(request.command ?? [gemini.binary]), '-o', 'stream-json'];
  if (request.model !== undefined) argv.push(`--model=${request.model}`);
  if (request.session !== undefined) argv.push(`--resume=${request.session.sessionId}`);
  if (request.permissions === 'bypass') argv.push('--approval-mode=yolo', '--skip-trust');
  if (request.toolsOff === true && request.policyFile !== undefined)
    argv.push(`--admin-policy=${request.policyFile}`);
  argv.push(...(request.extraArgs ?? []));
  return {
    argv,
    stdin: withSchemaInWords(withSystemPrompt(request), request.jsonSchema),
    // Otherwise it restarts itself as a child process that outlives it.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  };
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
