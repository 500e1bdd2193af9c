import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentChoice, RunAgentInput } from '../../src/effects/contracts.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { agentRigForEach, ask, type CallOptions, callAgent, shell } from './rig.ts';

const rig = agentRigForEach();
const run = (input: RunAgentInput, options?: CallOptions) => callAgent(rig, input, options);

describe('a command without an adapter', () => {
  it('does not write its answer outside if its folder becomes a link as it starts', async () => {
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

  it('gets the prompt as one argument, whatever it contains', async () => {
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

  it('can define the meaning of exit codes and the place of its answer', async () => {
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

  it('can print more than fits into memory', async () => {
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
