import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentChoice, RunAgentInput } from '../../src/effects/contracts.ts';
import { until } from '../rig/orchestrate.ts';
import { agentRigForEach, ask, type CallOptions, callAgent, INIT, mock, RESULT, shell } from './rig.ts';

const rig = agentRigForEach();
const run = (input: RunAgentInput, options?: CallOptions) => callAgent(rig, input, options);

describe('files of a call', () => {
  it('what was sent and what came back are kept, for nobody else to read', async () => {
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

  it('calls are numbered in their order, and a repeated try keeps its number', async () => {
    const agent = mock();
    await run(ask('a', { agent }), { key: 'One' });
    await run(ask('b', { agent }), { key: 'Loop/0/Two' });
    await run(ask('c', { agent }), { key: 'Loop/0/Two', attempt: 2 });
    await run(ask('a again', { agent }), { key: 'One' });
    expect(rig.runFiles('prompts')).toEqual(['001-One.txt', '002-Loop.0.Two.txt', '003-Loop.0.Two.try2.txt']);
    expect(rig.readRun('prompts/001-One.txt')).toBe('a again');
  });

  it('calls side by side get numbers of their own', async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `Branch${i}/Ask`);
    await Promise.all(keys.map((key) => run(ask(key, { agent: mock({ delay_ms: 1 }) }), { key })));
    const numbers = rig.runFiles('prompts').map((file) => file.slice(0, 3));
    expect(new Set(numbers).size).toBe(20);
    expect(rig.runFiles('responses')).toHaveLength(20);
  });

  it('holds no secret, wherever it comes from', async () => {
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

  it('holds no secret that another step declared, since every child inherits it', async () => {
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

  it('a secret that is not in the environment stops the call before it starts', async () => {
    const output = await run(ask('x', { agent: shell('touch started'), secrets: ['NOT_THERE_AT_ALL'] }));
    expect(output).toMatchObject({ exitCode: 2, failure: { type: 'undefined-variables' } });
    expect(fs.existsSync(join(rig.workspace, 'started'))).toBe(false);
  });
});

describe('the answer', () => {
  it('is cut to 8 KiB in the output, whole in `answer` and in the output file', async () => {
    const answer = 'ä'.repeat(10_000);
    const output = await run(ask('x', { agent: mock({ answer }), outputFile: 'out/answer.txt' }));
    expect(output.output).toBe('ä'.repeat(4096));
    expect(output).toMatchObject({ truncated: true, answer, artifacts: ['out/answer.txt'] });
    expect(rig.read('out/answer.txt')).toBe(answer);
  });

  it('larger than a megabyte stands in the files alone', async () => {
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

  it('that is not JSON is a failure, or kept as text where that is allowed', async () => {
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

  it('is checked against its schema, whoever gave it', async () => {
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
  ])('is found %s in the text where the agent gave no structured one', async (_how, answer) => {
    expect(await run(ask('x', { agent: mock({ answer }), jsonSchema }))).toMatchObject({
      outcome: 'done',
      structured: { city: 'Rome' },
      answer,
    });
  });

  it('that was never given as asked is no success, although the agent exited with 0', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), jsonSchema }));
    expect(output).toMatchObject({ exitCode: 2, outcome: 'invalid-output', failure: { reason: 'schema' } });
    expect(output.spent?.costUsd).toBe(0.25);
  });
});

describe('the end of a call', () => {
  it('a known CLI that prints no events has crashed, although it exits with 0', async () => {
    expect(await run(ask('x', { agent: shell('echo "All done!"', 'claude') }))).toMatchObject({
      exitCode: 1,
      outcome: 'crashed',
      spent: { costUsd: null },
    });
  });

  it('an agent that does not exit after its result is ended, and its result kept', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'; exec sleep 300`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), hungAfterResultMs: 200 }));
    expect(output).toMatchObject({ exitCode: 0, outcome: 'hung-after-result', answer: 'Four.' });
    expect(output.failure).toBeUndefined();
  });

  it('an agent that goes on talking after its result, and says nothing, is ended too', async () => {
    const script = `cat > /dev/null; echo '${INIT}'; echo '${RESULT}'; while :; do echo still here; sleep 0.02; done`;
    const output = await run(ask('x', { agent: shell(script, 'claude'), hungAfterResultMs: 200 }));
    expect(output).toMatchObject({ exitCode: 0, outcome: 'hung-after-result', answer: 'Four.' });
  });

  it('is waited for while it still works after a result', async () => {
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

  it('by the run is told by throwing its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const pending = run(ask('x', { agent: shell('echo up; sleep 303') }), { signal: controller.signal });
    const outcome = expect(pending).rejects.toBe(reason);
    await until(() => rig.progress.length > 0);
    controller.abort(reason);
    await outcome;
    expect(await rig.leftRunning()).toEqual([]);
  });

  it('turns are counted for agents that do not count them', async () => {
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
    const lines = [1, 2, 3, 4].flatMap(item).map((line) => `echo '${line}'; sleep 0.1`);
    const output = await run(
      ask('x', { agent: shell(`cat > /dev/null; ${lines.join(';')}; sleep 304`, 'codex'), maxTurns: 2 }),
    );
    expect(output).toMatchObject({ outcome: 'max-turns', failure: { outcome: { turns: 3 } } });
  });
});

describe('what an agent cannot do', () => {
  const session = { type: 'fork', sessionId: 'abc' } as const;

  it('is refused where the answer would be to another question', async () => {
    const agent: AgentChoice = { type: 'builtin', adapter: 'gemini', command: ['/bin/false'] };
    expect(await run(ask('x', { agent, session }))).toMatchObject({
      outcome: 'invalid-input',
      failure: { outcome: { message: 'gemini cannot continue a copy of a conversation' } },
    });
    expect(rig.pids).toEqual([]);
  });

  it('is said where the answer is still worth having', async () => {
    const output = await run(ask('x', { agent: shell('echo ok'), maxTurns: 3, maxBudgetUsd: 1, session }));
    expect(output).toMatchObject({
      outcome: 'done',
      debug: { not_kept: ['max_budget_usd', 'max_turns', 'session'] },
    });
  });
});
