import { isSessionMark } from '../../process/environment.ts';
import type { Machine } from './check-agents.ts';
import type { Finding } from './finding.ts';

/** Environment variables that change what agents do or cost. */
export function checkEnvironment({ env, isRoot }: Machine): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (level: Finding['level'], message: string, help: string) =>
    findings.push({ area: 'environment', level, message, help });
  for (const [name, plan] of BILLED_KEYS) {
    if (env[name]) {
      add(
        'warning',
        `${name} is set: calls are billed to that key, not to ${plan}`,
        `unset ${name} to use the plan`,
      );
    }
  }
  if (env['ANTHROPIC_BASE_URL']) {
    add(
      'note',
      'ANTHROPIC_BASE_URL is set: Claude Code uses another server',
      'unset it if this is not intended',
    );
  }
  const marks = Object.keys(env).filter(isSessionMark);
  if (marks.length > 0) {
    add(
      'note',
      `this shell runs inside an agent session (${marks.join(', ')})`,
      'nothing to do: agents do not inherit these variables',
    );
  }
  if (isRoot)
    add('warning', 'running as root', 'agents can change everything; use a separate user or a container');
  if (env['CLAUDE_CODE_MAX_RETRIES'] === undefined && env['ANTHROPIC_API_KEY']) {
    add(
      'note',
      'Claude Code retries an overloaded API up to ten times on its own, for minutes',
      'set CLAUDE_CODE_MAX_RETRIES=2 and use `retries` instead',
    );
  }
  return findings.length === 0
    ? [{ area: 'environment', level: 'ok', message: 'no conflicting environment variables' }]
    : findings;
}

const BILLED_KEYS: readonly (readonly [string, string])[] = [
  ['ANTHROPIC_API_KEY', 'a Claude plan'],
  ['GEMINI_API_KEY', "a Google account's quota"],
  ['OPENAI_API_KEY', 'a ChatGPT plan'],
];
