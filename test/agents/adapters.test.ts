import { describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/agents/adapter.ts';
import { ADAPTERS } from '../../src/agents/adapters/all.ts';
import { isSessionId } from '../../src/agents/session-id.ts';

const ALL: AgentRequest = {
  prompt: 'The prompt.',
  model: 'a-model',
  systemPrompt: 'Be brief.',
  jsonSchema: { type: 'object', properties: {}, additionalProperties: false },
  schemaFile: '/run/schema.json',
  session: { type: 'continue', sessionId: 'abc-1' },
  maxTurns: 5,
  maxBudgetUsd: 0.5,
  permissions: 'bypass',
  extraArgs: ['--extra'],
};
const { session: _, ...NEW } = ALL;

describe('the tools of an agent', () => {
  const SERVERS = {
    gh: { type: 'command', command: ['gh-mcp', 'a "b"'], env: { LEVEL: 'low' }, secrets: ['GH_TOKEN'] },
    far: { type: 'url', url: 'https://example.com/mcp', bearerToken: 'FAR_TOKEN' },
  } as const;
  const tools = { allowed: ['Read', 'Bash(git *)'], denied: ['Write'] };
  const mcp = { type: 'servers', servers: SERVERS } as const;

  it('claude: options, and a file with its servers, in which secrets are only names', () => {
    const { argv } = ADAPTERS.claude.call({
      prompt: 'x',
      tools: { ...tools, mcp },
      mcpFile: '/run/mcp.json',
    });
    expect(argv.slice(-4)).toEqual([
      '--allowedTools=Read,Bash(git *)',
      '--disallowedTools=Write',
      '--mcp-config=/run/mcp.json',
      '--strict-mcp-config',
    ]);
    expect(JSON.parse(ADAPTERS.claude.mcpConfig?.(SERVERS) ?? '')).toEqual({
      mcpServers: {
        gh: { command: 'gh-mcp', args: ['a "b"'], env: { LEVEL: 'low', GH_TOKEN: '${GH_TOKEN}' } },
        far: {
          type: 'http',
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer ${FAR_TOKEN}' },
        },
      },
    });
  });

  it('gemini: a policy, in which denied tools have precedence', () => {
    expect(
      ADAPTERS.gemini.policy?.({ tools: { allowed: ['run_shell_command(git status)'], denied: ['a"b'] } }),
    ).toBe(`[[rule]]
toolName = "a\\"b"
decision = "deny"
priority = 998

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git status"
decision = "allow"
priority = 997
`);
    expect(ADAPTERS.gemini.policy?.({})).toBe(undefined);
    const { argv } = ADAPTERS.gemini.call({ prompt: 'x', tools, policyFile: '/run/policy.toml' });
    expect(argv.at(-1)).toBe('--admin-policy=/run/policy.toml');
  });

  it('codex: settings, in which secrets are only names', () => {
    const { argv } = ADAPTERS.codex.call({ prompt: 'x', tools: { mcp } });
    expect(argv.filter((argument) => argument.startsWith('mcp_servers'))).toEqual([
      'mcp_servers.gh={"command" = "gh-mcp", "args" = ["a \\"b\\""], "env" = {"LEVEL" = "low"}, "env_vars" = ["GH_TOKEN"]}',
      'mcp_servers.far={"url" = "https://example.com/mcp", "bearer_token_env_var" = "FAR_TOKEN"}',
    ]);
  });
});

describe('the command line of an agent', () => {
  it('claude', () => {
    expect(ADAPTERS.claude.call(ALL)).toEqual({
      argv: [
        ...['claude', '-p', '--output-format', 'stream-json', '--verbose', '--include-hook-events'],
        '--model=a-model',
        ...['--append-system-prompt', 'Be brief.', '--json-schema', JSON.stringify(ALL.jsonSchema)],
        ...[
          '--resume=abc-1',
          '--max-turns=5',
          '--max-budget-usd=0.5',
          '--dangerously-skip-permissions',
          '--extra',
        ],
      ],
      stdin: 'Be brief.\n\n---\n\nThe prompt.',
      env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
    });
    expect(ADAPTERS.claude.call(NEW).stdin).toBe('The prompt.');
    expect(ADAPTERS.claude.call({ ...ALL, isSameTask: true }).stdin).toBe('The prompt.');
    const forked = ADAPTERS.claude.call({ ...ALL, session: { type: 'fork', sessionId: 'abc-1' } });
    expect(forked.argv).toContain('--fork-session');
  });

  it('gemini: the prompt contains what it has no option for', () => {
    const call = ADAPTERS.gemini.call(ALL);
    expect(call.argv).toEqual([
      ...[
        'gemini',
        '-o',
        'stream-json',
        '--model=a-model',
        '--resume=abc-1',
        '--approval-mode=yolo',
        '--skip-trust',
      ],
      '--extra',
    ]);
    expect(call.stdin).toMatch(
      /^Be brief\.\n\n---\n\nThe prompt\.\n\n---\n\nGive your final answer as one JSON value/,
    );
    expect(call.env).toEqual({ GEMINI_CLI_NO_RELAUNCH: 'true' });
  });

  it('codex', () => {
    const flags = [
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--model=a-model',
    ];
    const schema = '--output-schema=/run/schema.json';
    expect(ADAPTERS.codex.call(NEW).argv).toEqual(['codex', 'exec', ...flags, schema, '--extra', '-']);
    expect(ADAPTERS.codex.call(ALL).argv).toEqual([
      'codex',
      'exec',
      'resume',
      ...flags,
      schema,
      '--extra',
      'abc-1',
      '-',
    ]);
    const forked = ADAPTERS.codex.call({ ...ALL, session: { type: 'fork', sessionId: 'abc-1' } });
    expect(forked.argv.slice(0, 3)).toEqual(['codex', 'exec', 'fork']);
  });

  it('codex: a schema is passed as an option only if its API accepts it', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const call = ADAPTERS.codex.call({ ...NEW, jsonSchema: open });
    expect(call.argv.join(' ')).not.toContain('--output-schema');
    expect(call.stdin).toContain('must match this JSON Schema');
    const nested = {
      ...open,
      required: ['a'],
      additionalProperties: false,
      $defs: { b: { type: 'object' } },
    };
    expect(ADAPTERS.codex.call({ ...NEW, jsonSchema: nested }).argv.join(' ')).not.toContain(
      '--output-schema',
    );
  });

  it('nothing too long for an argument is passed as one', () => {
    const systemPrompt = 's'.repeat(140_000);
    const jsonSchema = { description: 'd'.repeat(140_000) };
    const call = ADAPTERS.claude.call({ prompt: 'P', systemPrompt, jsonSchema });
    expect(call.argv.every((argument) => argument.length < 1000)).toBe(true);
    expect(call.stdin.startsWith(systemPrompt)).toBe(true);
    expect(call.stdin).toContain(jsonSchema.description);
  });

  it('a command replaces the binary', () => {
    const call = ADAPTERS.claude.call({ prompt: 'P', command: ['npx', 'claude'] });
    expect(call.argv.slice(0, 3)).toEqual(['npx', 'claude', '-p']);
  });

  it.each(['claude', 'gemini', 'codex'] as const)('%s: a model cannot become a flag', (name) => {
    const { argv } = ADAPTERS[name].call({ prompt: 'P', model: '--dangerously-skip-permissions' });
    expect(argv).toContain('--model=--dangerously-skip-permissions');
    expect(argv).not.toContain('--dangerously-skip-permissions');
  });
});

describe('the id of a conversation', () => {
  it.each(['0b4fe1b2-d1a8-4da2-a768-300675844533', '01a1e11b-2263-7f61', 'mock-abc', 'a.b_c'])(
    'may be %j',
    (id) => {
      expect(isSessionId(id)).toBe(true);
    },
  );
  it.each(['', '-x', '--resume', 'a/b', '..', 'a..b', 'a b', 'a\n', 'ä', 'x'.repeat(129)])(
    'may not be %j',
    (id) => {
      expect(isSessionId(id)).toBe(false);
    },
  );
});
