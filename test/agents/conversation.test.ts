import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentChoice, RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import { until } from '../rig/orchestrate.ts';
import { agentRigForEach, ask, type CallOptions, callAgent, INIT, mock, RESULT, shell } from './rig.ts';

const rig = agentRigForEach();
const run = (input: RunAgentInput, options?: CallOptions) => callAgent(rig, input, options);

describe('an interrupted conversation', () => {
  const session = '11111111-1111-4111-8111-111111111111';
  const text = '{"type":"assistant","message":{"content":[{"type":"text","text":"working"}]}}';

  /** A fake claude that records its arguments and its prompt. */
  function fakeClaude(body: string): AgentChoice {
    rig.write(
      'fake-claude',
      `#!/bin/bash\necho "$@" >> "$PWD/args.log"\ncat >> "$PWD/prompts.log"\n${body}\n`,
    );
    fs.chmodSync(join(rig.workspace, 'fake-claude'), 0o755);
    return { type: 'builtin', adapter: 'claude', command: [join(rig.workspace, 'fake-claude')] };
  }

  async function interrupt(agent: AgentChoice, isReady: () => boolean): Promise<void> {
    const controller = new AbortController();
    const pending = run(ask('The task.', { agent }), { signal: controller.signal });
    const outcome = expect(pending).rejects.toThrow('stop');
    await until(isReady);
    controller.abort(new Error('stop'));
    await outcome;
  }

  const hasWorked = (): boolean => rig.events().some((event) => event.type === 'text');

  it('is continued after a kill', async () => {
    await interrupt(fakeClaude(`echo '${INIT}'; echo '${text}'; sleep 305`), hasWorked);
    const output = await run(ask('The task.', { agent: fakeClaude(`echo '${INIT}'; echo '${RESULT}'`) }));
    expect(output).toMatchObject({
      outcome: 'done',
      debug: { continued: { session_id: session, succeeded: true } },
    });
    const [first = '', second = ''] = rig.read('args.log').trim().split('\n');
    expect(first).not.toContain('--resume');
    expect(second).toContain(`--resume=${session}`);
    expect(rig.read('prompts.log')).toMatch(/^The task\.You were interrupted/);
    expect(rig.readRun('prompts/001-Ask.txt')).toBe('The task.');
  });

  it('of a user-defined command starts from scratch: it runs as written', async () => {
    const template = (body: string): AgentChoice => shell(`cat >> prompts.log; ${body}`, 'claude');
    await interrupt(template(`echo '${INIT}'; echo '${text}'; sleep 309`), hasWorked);
    const output = await run(ask('The task.', { agent: template(`echo '${INIT}'; echo '${RESULT}'`) }));
    expect(output.debug).not.toHaveProperty('continued');
    expect(rig.read('prompts.log')).toBe('The task.The task.');
  });

  it('starts from scratch if nothing was done yet', async () => {
    await interrupt(fakeClaude(`echo '${INIT}'; sleep 306`), () => rig.events().length > 0);
    const output = await run(ask('The task.', { agent: fakeClaude(`echo '${INIT}'; echo '${RESULT}'`) }));
    expect(output.debug).not.toHaveProperty('continued');
    expect(rig.read('args.log')).not.toContain('--resume');
  });

  it('is not continued for another task or agent, or if that is disabled', async () => {
    const done = `echo '${INIT}'; echo '${RESULT}'`;
    await interrupt(fakeClaude(`echo '${INIT}'; echo '${text}'; sleep 307`), hasWorked);
    fs.cpSync(rig.site.directory, join(rig.workspace, 'kept'), { recursive: true });
    const again = async (input: RunAgentInput): Promise<RunAgentOutput> => {
      fs.cpSync(join(rig.workspace, 'kept'), rig.site.directory, { recursive: true });
      fs.rmSync(join(rig.site.directory, 'responses/001-Ask.json'), { force: true });
      return await run(input);
    };
    const outputs = [
      await again(ask('Another task.', { agent: fakeClaude(done) })),
      await again(ask('The task.', { agent: fakeClaude(done), continueInterrupted: false })),
      await again(ask('The task.', { agent: mock() })),
    ];
    for (const output of outputs) expect(output.debug).not.toHaveProperty('continued');
    expect(rig.read('args.log')).not.toContain('--resume');
    expect((await again(ask('The task.', { agent: fakeClaude(done) }))).debug).toHaveProperty('continued');
  });

  it.each([
    [429, true],
    [529, true],
    [500, false],
  ])('by HTTP %i is continued by the next attempt: %s', async (status, isContinued) => {
    const failed = `{"type":"result","subtype":"success","is_error":true,"result":"no","api_error_status":${status}}`;
    const first = await run(
      ask('The task.', { agent: fakeClaude(`echo '${INIT}'; echo '${text}'; echo '${failed}'; exit 1`) }),
    );
    expect(first.failure).toBeDefined();
    const agent = fakeClaude(`echo '${INIT}'; echo '${RESULT}'`);
    const second = await run(ask('The task.', { agent }), { attempt: 2 });
    expect(second.outcome).toBe('done');
    expect('continued' in (second.debug ?? {})).toBe(isContinued);
  });

  it('that the agent has lost starts from scratch', async () => {
    await interrupt(fakeClaude(`echo '${INIT}'; echo '${text}'; sleep 308`), hasWorked);
    const lost =
      '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found"]}';
    const body = `if [[ "$*" == *--resume* ]]; then echo '${lost}'; exit 1; fi; echo '${INIT}'; echo '${RESULT}'`;
    const output = await run(ask('The task.', { agent: fakeClaude(body) }));
    expect(output).toMatchObject({
      outcome: 'done',
      answer: 'Four.',
      debug: { continued: { session_id: session, succeeded: false } },
    });
  });

  it.each(['--evil', '../../x', '', 'a b', 'x'.repeat(200)])(
    'with the id %j is rejected',
    async (sessionId) => {
      const output = await run(
        ask('x', { agent: fakeClaude('exit 9'), session: { type: 'continue', sessionId } }),
      );
      expect(output).toMatchObject({ exitCode: 2, outcome: 'invalid-input' });
      expect(rig.pids).toEqual([]);
    },
  );
});

describe('tokens of a conversation counted from its start', () => {
  const thread = '22222222-2222-4222-8222-222222222222';
  const codex = (input: number): AgentChoice => {
    const lines = [
      `{"type":"thread.started","thread_id":"${thread}"}`,
      '{"type":"item.completed","item":{"id":"m","type":"agent_message","text":"ok"}}',
      `{"type":"turn.completed","usage":{"input_tokens":${input},"output_tokens":${input / 10}}}`,
    ];
    const script = `cat > /dev/null; printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}`;
    return { type: 'builtin', adapter: 'codex', command: ['/bin/bash', '-c', script] };
  };

  it('are those of the call if the earlier total is known, otherwise unknown', async () => {
    const session = { type: 'continue', sessionId: thread } as const;
    expect(await run(ask('x', { agent: codex(500), session }), { key: 'Stranger' })).not.toHaveProperty(
      'usage',
    );
    fs.rmSync(join(rig.site.directory, 'responses'), { recursive: true });
    expect(await run(ask('x', { agent: codex(100) }), { key: 'A' })).toMatchObject({
      usage: { inputTokens: 100 },
    });
    const second = await run(ask('x', { agent: codex(350), session }), { key: 'B' });
    expect(second.spent).toMatchObject({ costUsd: null, usage: { inputTokens: 250, outputTokens: 25 } });
  });
});
