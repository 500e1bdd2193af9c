import { expect, it } from 'vitest';
import type { Turn } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { MADE_UP_KEY } from './clis.ts';
import { LEAVE_BEHIND, type Stage } from './suite.ts';

/** Calls that the model's API rejects, and limits of the agent. */
export function describeFailures({ cli, site, write }: Stage): void {
  /** Answers from the second attempt of the step, however often the CLI itself retries. */
  const firstAttemptGets = (error: Omit<Extract<Turn, { type: 'error' }>, 'type'>): readonly Turn[] => [
    { type: 'error', ...error, until: () => site().events('attempt-ended').length > 0 },
    { type: 'text', text: 'At last.' },
  ];

  if (cli.name === 'claude') {
    it('a usage limit with its reset time is waited for, and the attempt is not counted', async () => {
      write('retries: 0');
      const resetsAt = Math.ceil(Date.now() / 1000) + 1;
      const server = await site().serve(firstAttemptGets(limited(resetsAt)));
      const ended = await site().run(['run', 'w.yaml'], server, { plan: true });
      expect(ended.exitCode).toBe(0);
      const until = new Date(resetsAt * 1000).toISOString();
      expect(ended.stderr).toContain(
        `… Ask  the agent's usage limit was reached; it resets at ${until}; waiting until `,
      );
      const done = { status: 'completed', outcome: 'done', attempts: 1, output: 'At last.' };
      expect(site().workspace.step('Ask')).toMatchObject(done);
      const [attempt] = site().events('attempt-ended');
      const outcome = { type: 'rate-limited', resetsAt: until };
      expect(attempt).toMatchObject({ attempt: 1, counted: false, failure: { type: 'agent', outcome } });
      expect(Date.parse(attempt?.nextAt ?? '')).toBeGreaterThan(resetsAt * 1000);
      expect(
        site()
          .events('step-started')
          .map((event) => event.attempt),
      ).toContain(2);
      expect(site().workspace.state().totals).toMatchObject({ agent_calls: 2 });
    });
  } else {
    it('a usage limit, for which this CLI reports no reset time, is waited for five minutes without counting the attempt; Ctrl+C ends the wait', async () => {
      write('retries: 0');
      const server = await site().serve([{ type: 'error', ...limited(0) }]);
      const started = site().start(['run', 'w.yaml'], server);
      await until(() => site().events('attempt-ended').length > 0);
      started.child.kill('SIGINT');
      const ended = await started.ended;
      expect(ended.exitCode).toBe(130);
      expect(ended.stderr).toMatch(
        /^… Ask {2}the agent's usage limit was reached: .*; reset time unknown, next attempt at .*\d\d:\d\d:\d\d UTC/m,
      );
      const [attempt] = site().events('attempt-ended');
      const outcome = { type: 'rate-limited' };
      expect(attempt).toMatchObject({ attempt: 1, counted: false, failure: { type: 'agent', outcome } });
      expect(attempt?.failure).not.toHaveProperty('outcome.resetsAt');
      expect(Date.parse(attempt?.nextAt ?? '') - Date.parse(attempt?.at ?? '')).toBeGreaterThanOrEqual(
        300_000,
      );
      expect(site().workspace.state()).toMatchObject({ status: 'interrupted' });
    });
  }

  if (cli.name === 'opencode') {
    it('a usage limit whose end the API reports (`retry-after`) is waited for until then', async () => {
      write('retries: 0');
      // It retries six times on its own, after the shorter pause.
      const headers = { 'retry-after': '2', 'retry-after-ms': '1' };
      const server = await site().serve(firstAttemptGets({ ...limited(0), headers }));
      const ended = await site().run(['run', 'w.yaml'], server);
      expect(ended.exitCode, ended.stderr).toBe(0);
      const [attempt] = site().events('attempt-ended');
      const failure = attempt?.failure;
      const outcome = failure?.type === 'agent' ? failure.outcome : undefined;
      expect(outcome).toMatchObject({ type: 'rate-limited', resetsAt: expect.any(String) });
      const resetsAt = outcome?.type === 'rate-limited' ? (outcome.resetsAt ?? '') : '';
      expect(attempt).toMatchObject({ attempt: 1, counted: false });
      expect(Date.parse(attempt?.nextAt ?? '')).toBeGreaterThanOrEqual(Date.parse(resetsAt));
      expect(ended.stderr).toContain(`it resets at ${resetsAt}; waiting until `);
      const done = { status: 'completed', outcome: 'done', attempts: 1, output: 'At last.' };
      expect(site().workspace.step('Ask')).toMatchObject(done);
    });
  }

  if (cli.name === 'codex') {
    it("a plan's limit, whose end this CLI reports as a time of day, is waited for until then", async () => {
      write('retries: 0');
      const resetsAt = Math.ceil(Date.now() / 1000) + 7200;
      const error = { status: 429, kind: 'usage_limit_reached', extra: { resets_at: resetsAt } };
      const server = await site().serve([{ type: 'error', ...error }]);
      const started = site().start(['run', 'w.yaml'], server);
      await until(() => site().events('attempt-ended').length > 0);
      started.child.kill('SIGINT');
      await started.ended;
      const [attempt] = site().events('attempt-ended');
      // Reported to the minute; the wait lasts until the end of that minute.
      const at = new Date((Math.floor(resetsAt / 60) * 60 + 59) * 1000).toISOString();
      const outcome = { type: 'rate-limited', resetsAt: at };
      expect(attempt).toMatchObject({ counted: false, failure: { type: 'agent', outcome } });
    });
  }

  it('an overloaded model (HTTP 529) is asked again, and the attempt is counted', async () => {
    write('retries: { max: 1, delay_ms: 1 }');
    const server = await site().serve(
      firstAttemptGets({ status: 529, kind: 'overloaded_error', message: 'busy' }),
    );
    const ended = await site().run(['run', 'w.yaml'], server);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toMatch(/^↻ Ask {2}attempt 1 failed: the model is overloaded/m);
    expect(ended.stderr).toMatch(/^✓ Ask {2}\S+ m?s {2}2 attempts/m);
    const done = { status: 'completed', outcome: 'done', attempts: 2, output: 'At last.' };
    expect(site().workspace.step('Ask')).toMatchObject(done);
    const failure = { type: 'agent', outcome: { type: 'overloaded' } };
    expect(site().events('attempt-ended')).toMatchObject([{ attempt: 1, counted: true, failure }]);
  });

  it('a broken API (HTTP 500) fails the step after its last attempt, and nothing runs after it', async () => {
    write('retries: 0');
    const server = await site().serve([{ type: 'error', status: 500, kind: 'api_error', message: 'broken' }]);
    await expectFailed(server, {
      outcome: 'api-error',
      exitCode: 1,
      says: "the model's API returned an error",
    });
  });

  it('a rejected key (HTTP 401) is not retried, and is masked in the message', async () => {
    write();
    const message = `no such key: ${MADE_UP_KEY}`;
    const server = await site().serve([
      { type: 'error', status: 401, kind: 'authentication_error', message },
    ]);
    const says = 'the agent is not signed in or its key was rejected: ';
    const { stderr } = await expectFailed(server, { outcome: 'auth', exitCode: 2, says });
    // Copilot CLI does not pass the API's words on.
    if (cli.name !== 'copilot') expect(stderr).toContain('no such key: ***');
    expect(stderr).not.toContain(MADE_UP_KEY);
  });

  it(`${cli.name === 'claude' || cli.name === 'qwen' ? 'the CLI enforces `max_turns`' : 'the program enforces `max_turns`, for which this CLI has no option'}, and the step fails`, async () => {
    write('max_turns: 1');
    const tool = cli.tools.shell(`${LEAVE_BEHIND} true`);
    const server = await site().serve([tool, tool, tool, { type: 'text', text: 'Too late.' }]);
    await expectFailed(server, {
      outcome: 'max-turns',
      exitCode: 1,
      says: 'the agent reached its turn limit',
    });
    expect(server.requests.length).toBeLessThan(4);
  });

  interface Expected {
    readonly outcome: string;
    /** The outcome of the step. */
    readonly exitCode: number;
    readonly says: string;
  }

  async function expectFailed(
    server: Awaited<ReturnType<ReturnType<Stage['site']>['serve']>>,
    { outcome, exitCode, says }: Expected,
  ): Promise<{ readonly stderr: string }> {
    const ended = await site().run(['run', 'w.yaml'], server);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(`\n  Ask: ${says}`);
    expect(ended.stderr).toMatch(/^ {2}to continue: .*orchestrate resume /m);
    const { workspace } = site();
    const failed = { status: 'failed', outcome, exit_code: exitCode, attempts: 1 };
    expect(workspace.step('Ask')).toMatchObject({
      ...failed,
      error: { context: { outcome: { type: outcome } } },
    });
    expect(workspace.state()).toMatchObject({ status: 'failed', error: { step: 'Ask', type: 'agent' } });
    expect(workspace.state().steps).not.toHaveProperty('After');
    expect(workspace.has('answer.txt')).toBe(false);
    expect(site().events('attempt-ended')).toEqual([]);
    return ended;
  }
}

/** The limit of a plan; only Claude Code reports it, from its own headers. */
function limited(resetsAtSeconds: number): Omit<Extract<Turn, { type: 'error' }>, 'type'> {
  return {
    status: 429,
    kind: 'rate_limit_error',
    message: 'limited',
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAtSeconds),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    },
  };
}
