import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentChoice, RunAgentInput } from '../../src/effects/contracts.ts';
import { until } from '../rig/orchestrate.ts';
import { agentRigForEach, ask, type CallOptions, callAgent, INIT, mock, RESULT, shell } from './rig.ts';

const rig = agentRigForEach();
const run = (input: RunAgentInput, options?: CallOptions) => callAgent(rig, input, options);

describe('files of a call', () => {
  it('contain the prompt and the output, readable only by the user', async () => {
    const output = await run(ask('Question?', { agent: mock({ answer: 'Answer.', cost_usd: 0.5 }) }));
    expect(output).toMatchObject({
      exitCode: 0,
      outcome: 'done',
      output: 'Answer.',
      answer: 'Answer.',
      truncated: false,
      spent: { costUsd: 0.5 },
      promptFile: 'prompts/001-Ask.txt',
      responseFile: 'responses/001-Ask.json',
    });
    expect(rig.readRun('prompts/001-Ask.txt')).toBe('Question?');
    expect(rig.readRunJson('responses/001-Ask.json')).toMatchObject({
      step: 'Ask',
      attempt: 1,
      agent: 'mock',
      outcome: 'done',
      result: 'Answer.',
      cost_usd: 0.5,
      model: 'mock',
      turns: 1,
    });
    for (const file of ['prompts/001-Ask.txt', 'responses/001-Ask.json', 'logs/Ask.stdout']) {
      expect(fs.statSync(join(rig.site.directory, file)).mode & 0o777, file).toBe(0o600);
    }
  });

  it('are numbered in call order, and a repeated attempt keeps its number', async () => {
    const agent = mock();
    await run(ask('a', { agent }), { key: 'One' });
    await run(ask('b', { agent }), { key: 'Loop/0/Two' });
    await run(ask('c', { agent }), { key: 'Loop/0/Two', attempt: 2 });
    await run(ask('a again', { agent }), { key: 'One' });
    expect(rig.runFiles('prompts')).toEqual(['001-One.txt', '002-Loop.0.Two.txt', '003-Loop.0.Two.try2.txt']);
    expect(rig.readRun('prompts/001-One.txt')).toBe('a again');
  });

  it('have different numbers for parallel calls', async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `Branch${i}/Ask`);
    await Promise.all(keys.map((key) => run(ask(key, { agent: mock({ delay_ms: 1 }) }), { key })));
    const numbers = rig.runFiles('prompts').map((file) => file.slice(0, 3));
    expect(new Set(numbers).size).toBe(20);
    expect(rig.runFiles('responses')).toHaveLength(20);
  });

  it('contain no secret, wherever it comes from', async () => {
    const env = { MY_SECRET: 's3cret-value' };
    const script = `cat > /dev/null; echo '${INIT}'; printf '{"type":"result","subtype":"success","is_error":false,"result":"it is %s"}\\n' "$MY_SECRET"; echo "$MY_SECRET" >&2`;
    const output = await run(
      ask('Say s3cret-value.', { agent: shell(script, 'claude'), env, secrets: ['MY_SECRET'] }),
    );
    expect(output).toMatchObject({ outcome: 'done', answer: 'it is ***' });
    const files = ['prompts', 'responses', 'logs'].flatMap((folder) =>
      rig.runFiles(folder).map((file) => rig.readRun(join(folder, file))),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(`${files.join('\n')}${JSON.stringify(output)}${JSON.stringify(rig.progress)}`).not.toContain(
      's3cret-value',
    );
  });

  it('contain no secret of another step, since every child inherits it', async () => {
    const secret = 'declared-elsewhere';
    const output = await run(ask(`Use ${secret}.`, { agent: shell(`cat; echo ${secret} >&2; exit 1`) }), {
      parts: { secrets: [secret] },
    });
    const kept = [
      JSON.stringify(output),
      ...['prompts/001-Ask.txt', 'responses/001-Ask.json', 'logs/Ask.stdout', 'logs/Ask.stderr'].map(
        rig.readRun,
      ),
    ];
    for (const text of kept) expect(text).not.toContain(secret);
    expect(rig.readRun('logs/Ask.stdout')).toBe('Use ***.');
  });

  it('are not written if a secret is missing in the environment: the call does not start', async () => {
    const output = await run(ask('x', { agent: shell('touch started'), secrets: ['NOT_THERE_AT_ALL'] }));
    expect(output).toMatchObject({ exitCode: 2, failure: { type: 'undefined-variables' } });
    expect(fs.existsSync(join(rig.workspace, 'started'))).toBe(false);
  });
});

describe('the answer', () => {
  it('is truncated to 8 KiB in the output, complete in `answer` and in the output file', async () => {
    const answer = 'ä'.repeat(10_000);
    const output = await run(ask('x', { agent: mock({ answer }), outputFile: 'out/answer.txt' }));
    expect(output.output).toBe('ä'.repeat(4096));
    expect(output).toMatchObject({ truncated: true, answer, artifacts: ['out/answer.txt'] });
    expect(rig.read('out/answer.txt')).toBe(answer);
  });

  it('larger than a megabyte is only in the files', async () => {
    const answer = 'x'.repeat(1024 * 1024 + 1);
    const output = await run(ask('x', { agent: mock({ answer }), outputFile: 'big.txt' }));
    expect(output.answer).toBeUndefined();
    expect(output.output).toHaveLength(8192);
    expect(rig.read('big.txt')).toBe(answer);
    expect(rig.readRunJson('responses/001-Ask.json')['result']).toBe(answer);
  });

  it('is captured as lines or JSON', async () => {
    expect(await run(ask('x', { agent: mock({ answer: 'a\nb\n' }), capture: 'lines' }))).toMatchObject({
      lines: ['a', 'b'],
    });
    expect(await run(ask('x', { agent: mock({ answer: '{"a":[1]}' }), capture: 'json' }))).toMatchObject({
      json: { a: [1] },
    });
  });

  it('that is not JSON is a failure, or kept as text if allowed', async () => {
    const agent = mock({ answer: 'no json' });
    expect(await run(ask('x', { agent, capture: 'json' }))).toMatchObject({
      exitCode: 2,
      failure: { type: 'invalid-output', reason: 'invalid' },
    });
    expect(await run(ask('x', { agent, capture: 'json', allowParseError: true }))).toMatchObject({
      exitCode: 0,
      output: 'no json',
      debug: { json_parse_error: { reason: 'invalid' } },
    });
  });

  const jsonSchema = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  } as const;

  it('is checked against its schema, structured or not', async () => {
    const good = await run(
      ask('x', { agent: mock({ structured: { city: 'Rome' }, answer: 'ok' }), jsonSchema }),
    );
    expect(good).toMatchObject({ outcome: 'done', structured: { city: 'Rome' } });
    expect(JSON.parse(good.answer ?? '')).toEqual({ city: 'Rome' });
    const bad = await run(ask('x', { agent: mock({ structured: { city: 5 }, answer: 'ok' }), jsonSchema }));
    expect(bad).toMatchObject({ exitCode: 2, failure: { type: 'invalid-output', reason: 'schema' } });
    expect(bad.structured).toBeUndefined();
  });

  it.each([
    ['bare', '{"city":"Rome"}'],
    ['fenced', 'Here it is:\n```json\n{"city":"Rome"}\n```\nDone.'],
    ['embedded', 'The answer is {"city":"Rome"}, I think.'],
  ])('is found %s in the text if there is no structured answer', async (_how, answer) => {
    expect(await run(ask('x', { agent: mock({ answer }), jsonSchema }))).toMatchObject({
      outcome: 'done',
      structured: { city: 'Rome' },
      answer,
    });
  });

  it('that never matched is a failure, although the agent exited with 0', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), jsonSchema }));
    expect(output).toMatchObject({ exitCode: 2, outcome: 'invalid-output', failure: { reason: 'schema' } });
    expect(output.spent?.costUsd).toBe(0.25);
  });
});

describe('the end of a call', () => {
  it('is a crash if a known CLI prints no events, even with exit code 0', async () => {
    expect(await run(ask('x', { agent: shell('echo "All done!"', 'claude') }))).toMatchObject({
      exitCode: 1,
      outcome: 'crashed',
      spent: { costUsd: null },
    });
  });

  it('is forced if the agent does not exit after its result, which is kept', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'; exec sleep 300`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), hungAfterResultMs: 200 }));
    expect(output).toMatchObject({ exitCode: 0, outcome: 'hung-after-result', answer: 'Four.' });
    expect(output.failure).toBeUndefined();
  });

  it('is forced if the agent only prints bookkeeping after its result', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'; while :; do echo still here; sleep 0.02; done`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), hungAfterResultMs: 200 }));
    expect(output).toMatchObject({ exitCode: 0, outcome: 'hung-after-result', answer: 'Four.' });
  });

  it('is awaited while the agent still works after a result', async () => {
    const work = '{"type":"assistant","message":{"content":[{"type":"text","text":"more"}]}}';
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'; echo '${work}'; sleep 1; echo '${RESULT.replace('Four', 'Five')}'`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), hungAfterResultMs: 500 }));
    expect(output).toMatchObject({ outcome: 'done', answer: 'Five.' });
  });

  it('leaves nothing running, whatever session it put itself into', async () => {
    const script = `cat > /dev/null; setsid sleep 301 > /dev/null 2>&1 & disown; echo '${INIT}'; echo '${RESULT}'`;
    expect(await run(ask('x', { agent: shell(script, 'claude') }))).toMatchObject({ outcome: 'done' });
    expect(await rig.leftRunning()).toEqual([]);
  });

  it.each([
    ['timeoutMs', 'timed-out'],
    ['idleTimeoutMs', 'idle'],
  ] as const)('by %s is %s', async (limit, outcome) => {
    const script = `cat > /dev/null; echo '${INIT}'; sleep 302`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), [limit]: 300 }));
    expect(output).toMatchObject({ exitCode: 124, outcome, failure: { outcome: { afterMs: 300 } } });
  });

  it('by the run throws the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const pending = run(ask('x', { agent: shell('echo up; sleep 303') }), { signal: controller.signal });
    const outcome = expect(pending).rejects.toBe(reason);
    await until(() => rig.progress.length > 0);
    controller.abort(reason);
    await outcome;
    expect(await rig.leftRunning()).toEqual([]);
  });

  it('comes at `max_turns` also for agents that do not count turns', async () => {
    const item = (id: number) =>
      ['started', 'completed'].map((phase) =>
        JSON.stringify({
          type: `item.${phase}`,
          item: {
            id: `i${id}`,
            type: 'command_execution',
            command: 'x',
            aggregated_output: '',
            exit_code: 0,
            status: 'completed',
          },
        }),
      );
    const lines = [1, 2, 3].flatMap(item).map((line) => `echo '${line}'`);
    const output = await run(
      ask('x', { agent: shell(`cat > /dev/null; ${lines.join(';')}; sleep 304`, 'codex'), maxTurns: 2 }),
    );
    expect(output).toMatchObject({ outcome: 'max-turns', failure: { outcome: { turns: 3 } } });
  });
});

describe('what an agent cannot do', () => {
  const session = { type: 'fork', sessionId: 'abc' } as const;

  it('is rejected if the answer would not fit the request', async () => {
    const agent: AgentChoice = { type: 'builtin', adapter: 'gemini', command: ['/bin/false'] };
    expect(await run(ask('x', { agent, session }))).toMatchObject({
      outcome: 'invalid-input',
      failure: { outcome: { message: 'gemini cannot continue a copy of a conversation' } },
    });
    expect(rig.pids).toEqual([]);
  });

  it('is reported if the answer is still useful', async () => {
    const output = await run(ask('x', { agent: shell('echo ok'), maxTurns: 3, maxBudgetUsd: 1, session }));
    expect(output).toMatchObject({
      outcome: 'done',
      debug: { not_kept: ['max_budget_usd', 'max_turns', 'session'] },
    });
  });
});
