/** The recorded conversations: one short one each, with the outcome that a person would expect. */
import type { AgentRequest } from '../../src/agents/adapter.ts';
import type { AgentOutcome } from '../../src/model/agent.ts';
import type { Turn } from '../rig/model-server/server.ts';
import type { Cli, CliName, CliSite } from './clis.ts';

export interface Scenario {
  readonly name: string;
  readonly only?: readonly CliName[];
  /** For one version only. */
  readonly version?: string;
  turns(cli: Cli): readonly Turn[];
  readonly request?: Partial<AgentRequest>;
  readonly site?: Partial<CliSite>;
  readonly env?: { readonly [name: string]: string };
  /** Sent when the model has been asked this many times. */
  readonly kill?: { readonly signal: 'SIGINT' | 'SIGTERM'; readonly afterRequests: number };
  /** The conversation is continued: the second half is the transcript. */
  readonly continues?: boolean;
  readonly outcome: AgentOutcome['type'];
  /** Other fields of the outcome. */
  readonly told?: { readonly [member: string]: unknown };
}

const BYPASS = { permissions: 'bypass' } as const;
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** A hook's answer that stops the agent. */
const NO = { continue: false, stopReason: 'not on my watch' };

/** 2026-11-16T00:46:40Z */
const RESETS_AT = '1794790000';

/** A hook of Claude Code or Gemini CLI that always answers this. */
export function hookSettings(
  event: string,
  answer: object,
  matcher?: string,
): NonNullable<CliSite['settings']> {
  const command = `echo '${JSON.stringify(answer)}'`;
  return {
    hooks: {
      [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: 'command', command }] }],
    },
  };
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain-answer',
    turns: () => [{ type: 'text', text: 'Four.' }],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'tools',
    turns: (cli) => [
      { ...cli.tools.write('hello.txt', 'hello'), text: 'I write it.' },
      cli.tools.shell('exit 3'),
      { type: 'text', text: 'Written. Beware: rate limit, error 429, overloaded.' },
    ],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'todo-list',
    only: ['gemini', 'codex'],
    turns: (cli) => [
      ...(cli.tools.todos === undefined ? [] : [cli.tools.todos(['one', 'two'])]),
      { type: 'text', text: 'Planned.' },
    ],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'task-list',
    only: ['claude'],
    turns: () => [
      { type: 'tool', name: 'TaskCreate', input: { subject: 'one', description: 'the first' } },
      { type: 'tool', name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
      { type: 'text', text: 'Planned.' },
    ],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'rate-limited',
    turns: () => [
      {
        type: 'error',
        status: 429,
        kind: 'rate_limit_error',
        message: 'limited',
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': RESETS_AT,
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        },
      },
    ],
    request: BYPASS,
    site: { plan: true },
    outcome: 'rate-limited',
  },
  {
    name: 'too-many-requests',
    only: ['claude'],
    turns: () => [
      {
        type: 'error',
        status: 429,
        kind: 'rate_limit_error',
        message: 'limited',
        headers: { 'retry-after': '1' },
      },
    ],
    request: BYPASS,
    outcome: 'rate-limited',
  },
  {
    name: 'usage-limit',
    only: ['codex'],
    turns: () => [
      {
        type: 'error',
        status: 429,
        kind: 'usage_limit_reached',
        message: 'The usage limit has been reached',
      },
    ],
    request: BYPASS,
    outcome: 'rate-limited',
  },
  {
    name: 'overloaded',
    turns: () => [{ type: 'error', status: 529, kind: 'overloaded_error', message: 'Overloaded' }],
    request: BYPASS,
    outcome: 'overloaded',
  },
  {
    name: 'server-error',
    turns: () => [{ type: 'error', status: 500, kind: 'api_error', message: 'broken' }],
    request: BYPASS,
    outcome: 'api-error',
  },
  {
    name: 'invalid-key',
    turns: () => [{ type: 'error', status: 401, kind: 'authentication_error', message: 'invalid key' }],
    request: BYPASS,
    outcome: 'auth',
  },
  {
    name: 'no-key',
    // The others work without one, or call it a wrong setting.
    only: ['claude', 'gemini', 'codex'],
    turns: () => [],
    request: BYPASS,
    site: { noKey: true },
    outcome: 'auth',
  },
  {
    name: 'bad-request',
    turns: () => [{ type: 'error', status: 400, kind: 'invalid_request_error', message: 'too long' }],
    request: BYPASS,
    outcome: 'invalid-input',
  },
  {
    name: 'max-turns',
    only: ['claude', 'gemini'],
    turns: (cli) => [cli.tools.shell('echo 1'), cli.tools.shell('echo 2'), { type: 'text', text: 'Done.' }],
    request: { ...BYPASS, maxTurns: 1 },
    site: { maxTurns: 1 },
    outcome: 'max-turns',
  },
  {
    name: 'over-budget',
    only: ['claude'],
    turns: (cli) => [cli.tools.shell('echo 1'), cli.tools.shell('echo 2'), { type: 'text', text: 'Done.' }],
    request: { ...BYPASS, maxBudgetUsd: 0.0005 },
    outcome: 'over-budget',
  },
  {
    name: 'denied',
    only: ['claude', 'gemini', 'copilot', 'qwen'],
    turns: (cli) => [cli.tools.write('hello.txt', 'hello'), { type: 'text', text: 'I may not write.' }],
    site: { trusted: true },
    outcome: 'denied',
    told: { isFinished: true },
  },
  {
    name: 'stopped-at-a-denial',
    only: ['opencode'],
    turns: (cli) => [cli.tools.write('hello.txt', 'hello')],
    outcome: 'denied',
    told: { tools: ['write'] },
  },
  {
    name: 'made-up-tool',
    only: ['gemini'],
    turns: () => [
      { type: 'tool', name: 'no_such_tool', input: {} },
      { type: 'text', text: 'There is no such tool.' },
    ],
    site: { trusted: true },
    outcome: 'done',
  },
  {
    name: 'refused-by-hook',
    only: ['gemini'],
    turns: (cli) => [cli.tools.shell('echo 1'), { type: 'text', text: 'I may not.' }],
    request: BYPASS,
    site: {
      settings: hookSettings(
        'BeforeTool',
        { decision: 'deny', reason: 'no shell here' },
        'run_shell_command',
      ),
    },
    outcome: 'denied',
    told: { tools: ['run_shell_command'], isFinished: true },
  },
  {
    name: 'stopped-at-a-tool',
    only: ['gemini'],
    turns: (cli) => [cli.tools.shell('echo 1'), { type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: { settings: hookSettings('BeforeTool', NO, 'run_shell_command') },
    outcome: 'denied',
    told: { by: 'hook', message: 'Agent execution stopped by hook: not on my watch' },
  },
  {
    name: 'stopped-before-it-began',
    only: ['gemini'],
    turns: () => [{ type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: { settings: hookSettings('BeforeAgent', NO) },
    outcome: 'crashed',
  },
  {
    name: 'tool-deferred',
    only: ['claude'],
    turns: (cli) => [cli.tools.shell('echo 1'), { type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: {
      settings: hookSettings(
        'PreToolUse',
        { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' } },
        'Bash',
      ),
    },
    outcome: 'denied',
    told: { tools: ['Bash'], by: 'hook' },
  },
  {
    name: 'hook-stopped',
    only: ['claude'],
    turns: (cli) => [cli.tools.shell('echo 1'), { type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: { settings: hookSettings('PostToolUse', NO, 'Bash') },
    outcome: 'denied',
    told: { by: 'hook', message: 'not on my watch' },
  },
  {
    name: 'stop-hook-prevented',
    only: ['claude'],
    turns: () => [{ type: 'text', text: 'I am done.' }],
    request: BYPASS,
    site: { settings: hookSettings('Stop', NO) },
    outcome: 'denied',
    told: { by: 'hook', message: 'not on my watch' },
  },
  {
    name: 'stop-hook-overridden',
    only: ['claude'],
    turns: () => [],
    request: BYPASS,
    site: { settings: hookSettings('Stop', { decision: 'block', reason: 'the tests are red' }) },
    outcome: 'denied',
    told: { by: 'hook', message: 'the tests are red' },
  },
  {
    name: 'prompt-blocked',
    only: ['claude'],
    turns: () => [{ type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: {
      settings: hookSettings('UserPromptSubmit', { decision: 'block', reason: 'it holds a secret' }),
    },
    outcome: 'denied',
    told: { by: 'hook', message: 'it holds a secret' },
  },
  {
    name: 'prompt-stopped',
    only: ['claude'],
    turns: () => [{ type: 'text', text: 'Never said.' }],
    request: BYPASS,
    site: { settings: hookSettings('UserPromptSubmit', NO) },
    outcome: 'denied',
    told: { by: 'hook', message: 'not on my watch' },
  },
  {
    name: 'limit-with-epoch',
    only: ['claude'],
    turns: () => [
      {
        type: 'error',
        status: 429,
        kind: 'rate_limit_error',
        message: `Claude AI usage limit reached|${RESETS_AT}`,
      },
    ],
    request: BYPASS,
    outcome: 'rate-limited',
    told: { resetsAt: '2026-11-16T00:46:40.000Z' },
  },
  {
    name: 'not-found',
    turns: () => [{ type: 'error', status: 404, kind: 'not_found_error', message: 'no such model' }],
    request: BYPASS,
    outcome: 'invalid-input',
  },
  {
    name: 'at-capacity',
    turns: () => [
      {
        type: 'error',
        status: 503,
        kind: 'server_is_overloaded',
        message: 'busy',
        code: 'server_is_overloaded',
      },
    ],
    request: BYPASS,
    outcome: 'overloaded',
  },
  {
    name: 'quota',
    only: ['codex'],
    turns: () => [
      {
        type: 'error',
        status: 429,
        kind: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      },
    ],
    request: BYPASS,
    outcome: 'over-budget',
    told: { isAccount: true },
  },
  {
    name: 'context-full',
    only: ['codex'],
    turns: () => [
      {
        type: 'failed',
        code: 'context_length_exceeded',
        message: 'Your input exceeds the context window of this model.',
      },
    ],
    request: BYPASS,
    outcome: 'invalid-input',
  },
  {
    name: 'subagent',
    only: ['codex'],
    turns: () => [
      {
        type: 'tool',
        name: 'spawn_agent',
        namespace: 'multi_agent_v1',
        input: { message: 'count to three', agent_type: 'default' },
      },
      { type: 'text', text: 'Counted.' },
      { type: 'text', text: 'Counted.' },
    ],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'untrusted-folder',
    only: ['gemini'],
    turns: () => [],
    outcome: 'denied',
  },
  {
    name: 'schema-answered',
    only: ['claude'],
    turns: () => [{ type: 'tool', name: 'StructuredOutput', input: { city: 'Rome' } }],
    request: { ...BYPASS, jsonSchema: SCHEMA },
    outcome: 'done',
  },
  {
    name: 'schema-unanswered',
    only: ['claude'],
    turns: () => [
      { type: 'text', text: 'I would rather not.' },
      { type: 'text', text: 'No.' },
    ],
    request: { ...BYPASS, jsonSchema: SCHEMA },
    outcome: 'done',
  },
  {
    name: 'unknown-session',
    turns: () => [],
    request: {
      ...BYPASS,
      session: { type: 'continue', sessionId: '11111111-1111-4111-8111-111111111111' },
    },
    outcome: 'invalid-input',
  },
  {
    name: 'bad-flag',
    turns: () => [],
    request: { ...BYPASS, extraArgs: ['--no-such-flag'] },
    outcome: 'invalid-input',
  },
  {
    name: 'continued',
    continues: true,
    turns: () => [
      { type: 'text', text: 'First.' },
      { type: 'text', text: 'Second.' },
    ],
    request: BYPASS,
    outcome: 'done',
  },
  {
    name: 'interrupted',
    // Qwen Code does not end before its model has answered.
    only: ['claude', 'gemini', 'codex', 'opencode', 'copilot'],
    turns: () => [{ type: 'hang' }],
    request: BYPASS,
    kill: { signal: 'SIGINT', afterRequests: 1 },
    outcome: 'crashed',
  },
  {
    name: 'terminated',
    // Qwen Code does not end before its model has answered.
    only: ['claude', 'gemini', 'codex', 'opencode', 'copilot'],
    turns: () => [{ type: 'hang' }],
    request: BYPASS,
    kill: { signal: 'SIGTERM', afterRequests: 1 },
    outcome: 'crashed',
  },
  {
    name: 'background-subagent',
    only: ['claude'],
    version: '2.1.325',
    turns: () => [
      {
        type: 'tool',
        name: 'Agent',
        input: { description: 'count', prompt: 'count to three', subagent_type: 'general-purpose' },
      },
      { type: 'text', text: 'One two three.' },
      { type: 'text', text: 'The subagent counts.' },
      { type: 'text', text: 'It counted to three.' },
    ],
    request: BYPASS,
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '0' },
    outcome: 'done',
  },
];
