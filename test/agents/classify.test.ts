import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/agents/adapters/all.ts';
import { type AgentEnded, type AgentExit, classify } from '../../src/agents/classify.ts';
import { createSummary } from '../../src/agents/summary.ts';
import type { AgentEvent, AgentOutcome, AgentResult } from '../../src/model/agent.ts';

type Name = keyof typeof ADAPTERS;

interface Evidence {
  readonly agent?: Name;
  readonly events?: readonly AgentEvent[];
  readonly exit?: Partial<AgentExit>;
  readonly schemaAsked?: boolean;
}

function judge({ agent = 'claude', events = [], exit = {}, schemaAsked = false }: Evidence): AgentOutcome {
  const fold = createSummary();
  for (const event of events) fold.add(event);
  return classify({
    adapter: ADAPTERS[agent],
    summary: fold.summary(),
    exit: { exitCode: 0, stderrTail: '', ...exit },
    schemaAsked,
  });
}

const STARTED: AgentEvent = { type: 'started', sessionId: 's' };
const GOOD: AgentResult = { isError: false, subtype: 'success', text: 'Done.', costUsd: 0.1 };

function result(part: Partial<AgentResult> = {}): AgentEvent {
  return { type: 'result', result: { ...GOOD, ...part } };
}

function error(part: Partial<AgentResult>): AgentEvent {
  return result({ isError: true, text: 'no', ...part });
}

function ended(type: 'timed-out' | 'idle' | 'hung-after-result'): AgentEnded {
  return { type, afterMs: 1000 };
}

const work: readonly AgentEvent[] = [
  { type: 'tool-use', id: 't', name: 'Bash', input: {} },
  {
    type: 'tool-result',
    id: 't',
    isError: false,
    content: 'rate limit exceeded, 429, overloaded, retry at 5pm',
  },
];

/**
 * One or more rows for every outcome. The exit code alone would be misleading for each: 0 without success, or not 0 with success or
 * without information about the cause. `not-found` has no row, since there is no process.
 */
const rows: readonly (readonly [AgentOutcome['type'], string, Evidence])[] = [
  [
    'done',
    'a good result, though the process was killed after it',
    { events: [STARTED, result()], exit: { exitCode: 137, signal: 'SIGKILL' } },
  ],
  ['done', 'a good result and exit code 1', { events: [STARTED, ...work, result()], exit: { exitCode: 1 } }],
  ['rate-limited', 'HTTP 429 in the result of a success', { events: [STARTED, error({ apiStatus: 429 })] }],
  [
    'rate-limited',
    'a rejected plan limit and an error result',
    {
      events: [
        STARTED,
        { type: 'rate-limit', status: 'rejected', resetsAt: '2026-01-01T00:00:00.000Z' },
        error({}),
      ],
    },
  ],
  [
    'rate-limited',
    'gemini, by its exit code',
    {
      agent: 'gemini',
      events: [STARTED, error({ subtype: 'error', errorType: 'unknown' })],
      exit: { exitCode: 173 },
    },
  ],
  ['overloaded', 'HTTP 529', { events: [error({ apiStatus: 529 })] }],
  ['overloaded', 'HTTP 503', { events: [error({ apiStatus: 503 })] }],
  ['api-error', 'HTTP 500', { events: [error({ apiStatus: 500 })] }],
  [
    'api-error',
    'a failed turn without a status',
    { agent: 'codex', events: [STARTED, error({ subtype: 'turn.failed' })] },
  ],
  ['auth', 'HTTP 401', { events: [error({ apiStatus: 401 })] }],
  ['auth', 'not signed in, told by name', { events: [error({ errorType: 'authentication_failed' })] }],
  ['auth', 'gemini without a key', { agent: 'gemini', exit: { exitCode: 41 } }],
  [
    'denied',
    'a tool that was refused and never worked',
    {
      events: [
        STARTED,
        { type: 'tool-use', id: 'w', name: 'Write', input: {} },
        { type: 'tool-result', id: 'w', isError: true, content: '' },
        ...work,
        result({ denials: [{ tool: 'Write', toolUseId: 'w' }] }),
      ],
    },
  ],
  [
    'denied',
    'a tool call that a hook put off',
    { events: [STARTED, ...work, result({ unfinished: { type: 'deferred', tool: 'Bash' } })] },
  ],
  [
    'denied',
    'a hook that stopped it after its work, though it exited well',
    { events: [STARTED, ...work, result({ unfinished: { type: 'hook', words: 'no' } })] },
  ],
  [
    'denied',
    'a hook that stopped it, and it did not exit',
    {
      events: [STARTED, result({ unfinished: { type: 'hook' } })],
      exit: { exitCode: 143, signal: 'SIGTERM', ended: ended('hung-after-result') },
    },
  ],
  [
    'denied',
    'a tool that its own result calls refused',
    {
      agent: 'gemini',
      events: [
        STARTED,
        { type: 'tool-use', id: 'w', name: 'write_file', input: {} },
        { type: 'tool-result', id: 'w', isError: true, content: '', refused: true },
        result(),
      ],
    },
  ],
  ['denied', 'gemini in a folder that is not trusted', { agent: 'gemini', exit: { exitCode: 55 } }],
  ['max-turns', 'told by claude', { events: [error({ subtype: 'error_max_turns', turns: 3 })] }],
  [
    'max-turns',
    'ended at the limit by us',
    {
      agent: 'codex',
      events: [STARTED, ...work],
      exit: { exitCode: 0, ended: { type: 'max-turns', limit: 1 } },
    },
  ],
  ['over-budget', 'told by claude', { events: [error({ subtype: 'error_max_budget_usd' })] }],
  [
    'over-budget',
    'an account without money',
    { events: [error({ errorType: 'billing_error', apiStatus: 400 })] },
  ],
  [
    'invalid-input',
    'an unknown conversation',
    { events: [error({ subtype: 'error_during_execution', turns: 0 })] },
  ],
  ['invalid-input', 'an unknown flag', { exit: { exitCode: 1, stderrTail: "error: unknown option '--x'" } }],
  [
    'invalid-input',
    'gemini, HTTP 404 by what it prints last',
    {
      agent: 'gemini',
      events: [STARTED, error({ subtype: 'error', errorType: 'unknown' })],
      exit: { exitCode: 1, stderrTail: 'Error: x\n    at main (x.js:1:5) {\n  code: 404\n}\n' },
    },
  ],
  [
    'invalid-input',
    'a context that is full, told without an error',
    { events: [STARTED, ...work, result({ unfinished: { type: 'other', reason: 'prompt_too_long' } })] },
  ],
  ['invalid-input', 'HTTP 400', { events: [error({ apiStatus: 400 })] }],
  [
    'timed-out',
    'ended by its time, exit code 0',
    { events: [STARTED], exit: { exitCode: 0, ended: ended('timed-out') } },
  ],
  [
    'idle',
    'ended by its silence, exit code 0',
    { events: [STARTED, ...work], exit: { exitCode: 0, ended: ended('idle') } },
  ],
  [
    'hung-after-result',
    'it gave its result and did not exit',
    {
      events: [STARTED, result()],
      exit: { exitCode: 143, signal: 'SIGTERM', ended: ended('hung-after-result') },
    },
  ],
  [
    'hung-after-result',
    'its time ended after the result',
    { events: [STARTED, result()], exit: { exitCode: 143, ended: ended('timed-out') } },
  ],
  ['crashed', 'claude, SIGINT: exit code 0 and no result', { events: [STARTED, ...work] }],
  ['crashed', 'gemini, SIGTERM: exit code 0 and no result', { agent: 'gemini', events: [STARTED] }],
  ['crashed', 'nothing printed at all, exit code 0', {}],
  ['crashed', 'a conversation begun again after a good result', { events: [STARTED, result(), STARTED] }],
  [
    'crashed',
    'words after a good result',
    { events: [STARTED, result(), { type: 'text', text: 'x', delta: false }] },
  ],
  [
    'crashed',
    'a tool result after a good result',
    { events: [STARTED, ...work.slice(0, 1), result(), ...work.slice(1)] },
  ],
  [
    'crashed',
    'an end that is neither an error nor the end of the work',
    { events: [STARTED, ...work, result({ unfinished: { type: 'other', reason: 'brand_new_reason' } })] },
  ],
  ['crashed', 'a result too long to read', { events: [error({ subtype: 'overlong' })] }],
  ['crashed', 'an exit code that `timeout` gives', { events: [STARTED], exit: { exitCode: 124 } }],
  [
    'crashed',
    'an exit code that a shell gives for a missing program',
    { exit: { exitCode: 127, stderrTail: 'claude: command not found' } },
  ],
];

/** The outcome by exit code and shell conventions alone. */
function byExitCodeAlone({ exit = {} }: Evidence): AgentOutcome['type'] {
  switch (exit.exitCode ?? 0) {
    case 0:
      return 'done';
    case 124:
      return 'timed-out';
    case 127:
      return 'not-found';
    default:
      return 'crashed';
  }
}

/** Complete by its type: a new outcome does not compile until it is added here, and then needs a row. */
const OF_A_PROCESS: { readonly [Type in Exclude<AgentOutcome['type'], 'not-found'>]: true } = {
  done: true,
  'rate-limited': true,
  overloaded: true,
  'api-error': true,
  auth: true,
  denied: true,
  'max-turns': true,
  'over-budget': true,
  'invalid-input': true,
  'timed-out': true,
  idle: true,
  'hung-after-result': true,
  crashed: true,
};

describe('how an agent call ended', () => {
  it.each(rows)('%s: %s', (type, _why, evidence) => {
    expect(judge(evidence).type).toBe(type);
  });

  it('every outcome of a process has a row', () => {
    expect(new Set(rows.map(([type]) => type))).toEqual(new Set(Object.keys(OF_A_PROCESS)));
  });

  it('the exit code alone is wrong for every row', () => {
    const told = rows.filter(([type, _why, evidence]) => byExitCodeAlone(evidence) === type);
    expect(told.map(([type, why]) => `${type}: ${why}`)).toEqual([]);
  });

  it('a limit in prose is not a limit', () => {
    const words = 'Error 429: rate limit exceeded. overloaded_error. Try again at 5pm.';
    const said: AgentEvent = { type: 'text', text: words, delta: false };
    expect(judge({ events: [STARTED, ...work, said, result({ text: words })] })).toEqual({ type: 'done' });
    expect(judge({ events: [STARTED, ...work, said] }).type).toBe('crashed');
    expect(judge({ exit: { exitCode: 1, stderrTail: words }, events: [STARTED] }).type).toBe('crashed');
  });

  it('a limit that was announced but not reached is not a limit', () => {
    const warned: AgentEvent = {
      type: 'rate-limit',
      status: 'allowed_warning',
      resetsAt: '2026-01-01T00:00:00.000Z',
    };
    expect(judge({ events: [STARTED, warned, result()] })).toEqual({ type: 'done' });
    expect(judge({ events: [STARTED, warned, error({ apiStatus: 429 })] })).not.toHaveProperty('resetsAt');
  });

  it('a limit has a reset time', () => {
    const rejected: AgentEvent = {
      type: 'rate-limit',
      status: 'rejected',
      resetsAt: '2026-01-01T00:00:00.000Z',
    };
    expect(judge({ events: [STARTED, rejected, error({ apiStatus: 429 })] })).toMatchObject({
      type: 'rate-limited',
      resetsAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('a limit has a reset time if only the CLI’s own error reports it', () => {
    const resetsAt = '2026-01-01T00:00:00.000Z';
    expect(judge({ events: [STARTED, error({ apiStatus: 429, resetsAt })] })).toMatchObject({
      type: 'rate-limited',
      resetsAt,
    });
    expect(judge({ events: [STARTED, error({ apiStatus: 500, resetsAt })] })).not.toHaveProperty('resetsAt');
  });

  it('an API error on stderr is read only from the error itself', () => {
    const words = 'the tool printed\n  code: 404\n}';
    const events = [STARTED, error({ subtype: 'error', errorType: 'unknown' })];
    expect(judge({ agent: 'gemini', events, exit: { exitCode: 1, stderrTail: words } }).type).toBe(
      'api-error',
    );
  });

  it('a tool that was denied and succeeded later is not a denial', () => {
    const use = (id: string, isError: boolean): readonly AgentEvent[] => [
      { type: 'tool-use', id, name: 'Write', input: {} },
      { type: 'tool-result', id, isError, content: '' },
    ];
    const denied = result({ denials: [{ tool: 'Write', toolUseId: 'a' }] });
    expect(judge({ events: [STARTED, ...use('a', true), ...use('b', false), denied] })).toEqual({
      type: 'done',
    });
    expect(judge({ events: [STARTED, ...use('b', false), ...use('a', true), denied] }).type).toBe('denied');
  });

  it('an error result counts even if the process had to be stopped', () => {
    const exit = { exitCode: 143, signal: 'SIGTERM', ended: ended('hung-after-result') };
    expect(judge({ events: [STARTED, error({ apiStatus: 529 })], exit }).type).toBe('overloaded');
  });

  it('an answer that never matched its schema is left to the schema check', () => {
    const events = [STARTED, error({ subtype: 'error_max_structured_output_retries' })];
    expect(judge({ events, schemaAsked: true })).toEqual({ type: 'done' });
  });

  it.each([
    [144, 'invalid-input'],
    [145, 'auth'],
    [173, 'rate-limited'],
    [244, 'api-error'],
    [247, 'overloaded'],
    [17, 'overloaded'],
  ] as const)('gemini exit code %i with an error result is %s', (exitCode, type) => {
    const events = [STARTED, error({ subtype: 'error', errorType: 'unknown' })];
    expect(judge({ agent: 'gemini', events, exit: { exitCode } }).type).toBe(type);
  });

  it.each([130, 137, 143])('gemini exit code %i is a signal, not a status', (exitCode) => {
    expect(judge({ agent: 'gemini', events: [STARTED], exit: { exitCode } }).type).toBe('crashed');
  });
});
