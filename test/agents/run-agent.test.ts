import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentChoice, RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import { createRunAgent, type RunAgentParts } from '../../src/effects/run-agent.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { until } from '../rig/orchestrate.ts';
import { type AgentRig, ask, createAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(() => {
  rig = createAgentRig();
});
afterEach(async () => {
  const left = await rig.leftRunning();
  rig.remove();
  expect(left, 'processes left running').toEqual([]);
});

interface Options {
  readonly parts?: Partial<RunAgentParts>;
  readonly key?: string;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
}

async function run(input: RunAgentInput, options: Options = {}): Promise<RunAgentOutput> {
  const { parts, ...context } = options;
  return await createRunAgent({ runProcess, ...parts })(input, rig.context(context));
}

function mock(script?: JsonValue): AgentChoice {
  return { type: 'builtin', adapter: 'mock', ...(script !== undefined && { script }) };
}

/** A program that stands in for a CLI: what it prints is what the test says. */
function shell(script: string, adapter: 'claude' | 'codex' | 'plain' = 'plain'): AgentChoice {
  return { type: 'template', name: 'shell', adapter, argv: ['/bin/bash', '-c', script], inputMode: 'stdin' };
}

const RESULT =
  '{"type":"result","subtype":"success","is_error":false,"result":"Four.","total_cost_usd":0.25}';
const INIT =
  '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m"}';

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

describe('a command that no adapter knows', () => {
  it('does not write its answer outside when its folder becomes a link as it starts', async () => {
    const outside = join(rig.workspace, '..', 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(join(outside, 'answer.txt'), 'theirs');
    await run(ask('Q', { agent: shell('cat > /dev/null; echo mine'), outputFile: 'out/answer.txt' }), {
      parts: {
        runProcess(request) {
          fs.renameSync(join(rig.workspace, 'out'), join(rig.workspace, 'before'));
          fs.symlinkSync(outside, join(rig.workspace, 'out'));
          return runProcess(request);
        },
      },
    });
    expect(fs.readFileSync(join(outside, 'answer.txt'), 'utf8')).toBe('theirs');
    expect(rig.read('before/answer.txt')).toBe('mine\n');
  });

  it('gets the prompt on stdin and answers on stdout', async () => {
    const output = await run(ask('ping', { agent: shell('echo "got $(cat)"'), outputFile: 'o.txt' }));
    expect(output).toMatchObject({
      exitCode: 0,
      outcome: 'done',
      output: 'got ping\n',
      spent: { costUsd: null },
    });
    expect(rig.read('o.txt')).toBe('got ping\n');
  });

  it('gets the prompt as one argument, whatever it holds', async () => {
    const prompt = '--flag $(touch evil) "quoted" `x`\nsecond line';
    const agent: AgentChoice = {
      type: 'template',
      name: 'printf',
      adapter: 'plain',
      argv: ['printf', '%s', { promptBetween: ['<', '>'] }],
      inputMode: 'argv',
    };
    expect(await run(ask(prompt, { agent }))).toMatchObject({ output: `<${prompt}>` });
    expect(fs.existsSync(join(rig.workspace, 'evil'))).toBe(false);
  });

  it('is not started with an argument that is too long', async () => {
    const argv = ['printf', '%s', { promptBetween: ['', ''] }];
    const agent: AgentChoice = { type: 'template', name: 'p', adapter: 'plain', argv, inputMode: 'argv' };
    expect(await run(ask('x'.repeat(131_071), { agent }))).toMatchObject({ outcome: 'done' });
    expect(await run(ask(`${'x'.repeat(131_070)}ä`, { agent }))).toMatchObject({
      exitCode: 2,
      failure: { type: 'prompt-too-long', bytes: 131_072, limit: 131_071 },
    });
  });

  it('fails with its exit code', async () => {
    expect(await run(ask('x', { agent: shell('echo oops >&2; exit 7') }))).toMatchObject({
      exitCode: 7,
      failure: { type: 'exit-code', exitCode: 7 },
      stderrTail: 'oops\n',
    });
  });

  it('may say what its exit codes mean and where its answer is', async () => {
    const reading = { result: 'json:items.1.text', exitCodes: { '75': 'rate-limited', '0': 'done' } };
    const agent = (script: string): AgentChoice => ({ ...shell(script), reading }) as AgentChoice;
    const json = `echo '{"items":[{},{"text":"the answer"}]}'`;
    expect(await run(ask('x', { agent: agent(json), outputFile: 'o.txt' }))).toMatchObject({
      answer: 'the answer',
    });
    expect(rig.read('o.txt')).toBe('the answer');
    expect(await run(ask('x', { agent: agent('echo "slow down" >&2; exit 75') }))).toMatchObject({
      failure: { type: 'agent', outcome: { type: 'rate-limited', message: 'slow down' } },
    });
    expect(await run(ask('x', { agent: agent('echo "{}"') }))).toMatchObject({
      failure: { type: 'invalid-output', message: 'the JSON on stdout has no `items.1.text`' },
    });
    const last = { ...shell('echo one; echo two; echo'), reading: { result: 'last-line' } } as AgentChoice;
    expect(await run(ask('x', { agent: last }))).toMatchObject({ answer: 'two' });
  });

  it('may print more than memory holds', async () => {
    const script = 'head -c 5000000 /dev/zero | tr "\\0" x';
    const output = await run(ask('x', { agent: shell(script), outputFile: 'big' }));
    expect(output).toMatchObject({ outcome: 'done', truncated: true });
    expect(output.answer).toBeUndefined();
    expect(fs.statSync(join(rig.workspace, 'big')).size).toBe(5_000_000);
  });

  it('that does not exist is not found', async () => {
    const agent: AgentChoice = { ...shell(''), argv: ['no-such-agent-anywhere'] } as AgentChoice;
    expect(await run(ask('x', { agent }))).toMatchObject({
      exitCode: 127,
      failure: { type: 'agent', outcome: { type: 'not-found', program: 'no-such-agent-anywhere' } },
    });
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

describe('a conversation that was cut off', () => {
  const session = '11111111-1111-4111-8111-111111111111';
  const text = '{"type":"assistant","message":{"content":[{"type":"text","text":"working"}]}}';

  /** A stand-in for claude that tells its arguments and its prompt. */
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

  it('by a kill is gone on with', async () => {
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

  it('of a command written out by the user is begun anew: it is run as written', async () => {
    const template = (body: string): AgentChoice => shell(`cat >> prompts.log; ${body}`, 'claude');
    await interrupt(template(`echo '${INIT}'; echo '${text}'; sleep 309`), hasWorked);
    const output = await run(ask('The task.', { agent: template(`echo '${INIT}'; echo '${RESULT}'`) }));
    expect(output.debug).not.toHaveProperty('continued');
    expect(rig.read('prompts.log')).toBe('The task.The task.');
  });

  it('before anything was done is begun anew', async () => {
    await interrupt(fakeClaude(`echo '${INIT}'; sleep 306`), () => rig.events().length > 0);
    const output = await run(ask('The task.', { agent: fakeClaude(`echo '${INIT}'; echo '${RESULT}'`) }));
    expect(output.debug).not.toHaveProperty('continued');
    expect(rig.read('args.log')).not.toContain('--resume');
  });

  it('is not gone on with for another task, another agent, or where that is not wanted', async () => {
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
  ])('by HTTP %i is gone on with by the next attempt: %s', async (status, isContinued) => {
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

  it('that the agent has lost is begun anew', async () => {
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
    'with the id %j is refused',
    async (sessionId) => {
      const output = await run(
        ask('x', { agent: fakeClaude('exit 9'), session: { type: 'continue', sessionId } }),
      );
      expect(output).toMatchObject({ exitCode: 2, outcome: 'invalid-input' });
      expect(rig.pids).toEqual([]);
    },
  );
});

describe('what an agent cannot do', () => {
  const session = { type: 'fork', sessionId: 'abc' } as const;

  it('is refused where the answer would be to another question', async () => {
    const agent: AgentChoice = { type: 'builtin', adapter: 'gemini', command: ['/bin/false'] };
    expect(await run(ask('x', { agent, session }))).toMatchObject({
      outcome: 'invalid-input',
      failure: { outcome: { message: 'gemini cannot go on with a copy of a conversation' } },
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

describe('tokens of a conversation counted from its beginning', () => {
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

  it('are those of the call where the earlier total is known, and unknown where it is not', async () => {
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
