import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/agents/unified-diff.ts';
import { type CassetteUse, createRunAgent } from '../../src/effects/agent/run-agent.ts';
import type { AgentChoice, RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { type AgentRig, ask, createAgentRig } from './rig.ts';

let rig: AgentRig;
let other: AgentRig;
beforeEach(() => {
  rig = createAgentRig();
  other = createAgentRig();
});
afterEach(() => {
  rig.remove();
  other.remove();
});

const INIT = '{"type":"system","subtype":"init","session_id":"s-1","model":"m"}';
const RESULT =
  '{"type":"result","subtype":"success","is_error":false,"result":"in %s","total_cost_usd":0.25}';

/** Prints where it runs, and writes a file. */
function agent(program = '/bin/bash'): AgentChoice {
  const script = `cat > /dev/null; mkdir -p out; echo made > out/made.txt; echo '${INIT}'; printf '${RESULT}\\n' "$PWD"; echo warned >&2`;
  return {
    type: 'template',
    name: 'teller',
    adapter: 'claude',
    argv: [program, '-c', script],
    inputMode: 'stdin',
  };
}

async function run(
  where: AgentRig,
  cassette: CassetteUse,
  input: Partial<RunAgentInput> = {},
): Promise<RunAgentOutput> {
  const effect = createRunAgent({ runProcess, cassette });
  const prompt = `Work in ${where.workspace}.\nThen stop.`;
  return await effect(ask(prompt, { agent: agent(), ...input }), where.context());
}

const cassettes = (): string => join(rig.workspace, 'cassettes');
const record = (): CassetteUse => ({ type: 'record', folder: cassettes() });
const replay = (loose = false): CassetteUse => ({ type: 'replay', folder: cassettes(), loose });

describe('a recorded agent call', () => {
  it('is replayed without the agent, on another machine and in another folder', async () => {
    const recorded = await run(rig, record());
    expect(recorded).toMatchObject({ outcome: 'done', answer: `in ${rig.workspace}` });
    const replayed = await run(other, replay());
    expect(replayed).toMatchObject({
      outcome: 'done',
      answer: `in ${other.workspace}`,
      spent: { costUsd: 0 },
      sessionId: 's-1',
    });
    expect(other.pids).toEqual([]);
    expect(other.events()).toEqual(
      JSON.parse(JSON.stringify(rig.events()).replaceAll(rig.workspace, other.workspace)),
    );
    expect(other.readRun('logs/Ask.stdout')).toContain(INIT);
    expect(other.readRunJson('responses/001-Ask.json')).toMatchObject({ outcome: 'done' });
  });

  it('restores the files that the agent created, changed and removed', async () => {
    for (const one of [rig, other]) {
      one.write('kept.txt', 'kept');
      one.write('changed.txt', 'before');
      one.write('removed.txt', 'gone soon');
    }
    const argv = [
      '/bin/bash',
      '-c',
      `cat > /dev/null; mkdir -p out; echo made > out/made.txt; echo after > changed.txt; rm removed.txt; echo '${INIT}'; printf '${RESULT}\\n' x`,
    ];
    const changing = { ...agent(), argv } as AgentChoice;
    await run(rig, record(), { agent: changing });
    const replayed = await run(other, replay(), { agent: changing });
    expect(replayed.outcome).toBe('done');
    expect(other.read('out/made.txt')).toBe('made\n');
    expect(other.read('changed.txt')).toBe('after\n');
    expect(fs.existsSync(join(other.workspace, 'removed.txt'))).toBe(false);
    expect(other.read('kept.txt')).toBe('kept');
    const text = fs.readFileSync(join(cassettes(), 'Ask.jsonl'), 'utf8');
    expect(text).not.toContain('kept.txt');
  });

  it('is readable text without folders of the machine or secrets', async () => {
    const env = { API_TOKEN: 'very-secret-token' };
    await run(rig, record(), {
      env,
      secrets: ['API_TOKEN'],
      prompt: [{ type: 'text', text: `Use very-secret-token in ${rig.workspace}` }],
    });
    const text = fs.readFileSync(join(cassettes(), 'Ask.jsonl'), 'utf8');
    expect(text).not.toContain('very-secret-token');
    expect(text).not.toContain(rig.workspace);
    expect(text).toContain('{"type":"prompt","line":"Use *** in {{orchestrate.workspace}}"}');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map((line) => line.type)).toEqual([
      ...['cassette', 'prompt', 'stdout', 'stdout', 'stdout', 'stderr', 'stderr', 'file', 'exit'],
    ]);
    expect(fs.statSync(join(cassettes(), 'Ask.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('omits a binary file that contains a secret, and says so', async () => {
    const secret = 'hunter2-hunter2';
    const effect = createRunAgent({ runProcess, cassette: record(), secrets: [secret] });
    const script = `cat > /dev/null; printf '\\xff${secret}' > with.bin; printf '\\xff' > without.bin
      printf '\\xff\\xfe${[...secret].join('\\x00')}\\x00' > utf16.txt; echo '${INIT}'; echo '${RESULT}'`;
    const choice: AgentChoice = { ...agent(), argv: ['/bin/bash', '-c', script] } as AgentChoice;
    await effect(ask('Q', { agent: choice }), rig.context());
    const lines = fs
      .readFileSync(join(cassettes(), 'Ask.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; path?: string });
    expect(lines.flatMap((line) => (line.type === 'file' ? [line.path] : []))).toEqual(['without.bin']);
    const said = rig.progress.flatMap((one) => (one.type === 'message' ? [one.text] : []));
    expect(said.sort()).toEqual(
      ['utf16.txt', 'with.bin'].map(
        (path) =>
          `\`${path}\` is a binary file that contains a secret, so it is not recorded; a replay will not restore it`,
      ),
    );
  });

  it('of the mock agent contains no secret', async () => {
    const secret = 'hunter2-hunter2';
    const effect = createRunAgent({ runProcess, cassette: record(), secrets: [secret] });
    const choice: AgentChoice = { type: 'builtin', adapter: 'mock', script: { answer: 'Said: {prompt}' } };
    await effect(ask(`Keep ${secret}.`, { agent: choice }), rig.context());
    expect(fs.readFileSync(join(cassettes(), 'Ask.jsonl'), 'utf8')).not.toContain(secret);
  });

  it('is not replayed for another prompt, and the difference is shown', async () => {
    await run(rig, record());
    const prompt = [{ type: 'text', text: `Work in ${other.workspace}.\nThen continue.` }] as const;
    const output = await run(other, replay(), { prompt });
    expect(output).toMatchObject({ exitCode: 2, outcome: 'replay-mismatch' });
    expect(output.failure).toMatchObject({
      message: expect.stringContaining(
        `@@ -1,2 +1,2 @@\n Work in ${other.workspace}.\n-Then stop.\n+Then continue.`,
      ),
    });
    expect(await run(other, replay(true), { prompt })).toMatchObject({ outcome: 'done' });
  });

  it('is not replayed for another agent', async () => {
    await run(rig, record());
    const output = await run(other, replay(), { agent: { ...agent(), name: 'another' } as AgentChoice });
    expect(output.failure).toMatchObject({
      type: 'replay-mismatch',
      message: expect.stringContaining('`another`'),
    });
  });

  it.each([
    ['is missing', (path: string) => fs.rmSync(path)],
    ['is truncated', (path: string) => fs.truncateSync(path, fs.statSync(path).size - 30)],
    [
      'is something else',
      (path: string) => fs.writeFileSync(path, '{"type":"cassette","format":99}\n{"type":"exit"}'),
    ],
  ])('that %s fails with a clear message', async (_what, damage) => {
    await run(rig, record());
    damage(join(cassettes(), 'Ask.jsonl'));
    const output = await run(other, replay());
    expect(output.failure).toMatchObject({
      type: 'replay-mismatch',
      message: expect.stringContaining('Ask.jsonl'),
    });
  });

  it('cannot write outside the workspace', async () => {
    await run(rig, record());
    const path = join(cassettes(), 'Ask.jsonl');
    fs.writeFileSync(
      path,
      fs.readFileSync(path, 'utf8').replace('"path":"out/made.txt"', '"path":"../evil.txt"'),
    );
    expect((await run(other, replay())).failure).toMatchObject({ type: 'unsafe-path' });
    expect(fs.existsSync(join(other.workspace, '..', 'evil.txt'))).toBe(false);
  });

  it('of a failed call fails in the same way', async () => {
    const failing = {
      ...agent(),
      adapter: 'plain',
      argv: ['/bin/bash', '-c', 'echo half; echo why >&2; exit 9'],
    } as AgentChoice;
    const recorded = await run(rig, record(), { agent: failing });
    const replayed = await run(other, replay(), { agent: failing });
    expect(replayed).toMatchObject({ exitCode: 9, failure: { type: 'exit-code' }, stderrTail: 'why\n' });
    expect(replayed.output).toBe(recorded.output);
  });

  it('writes the output file', async () => {
    await run(rig, record(), { outputFile: 'answer.txt' });
    await run(other, replay(), { outputFile: 'answer.txt' });
    expect(other.read('answer.txt')).toBe(`in ${other.workspace}`);
  });
});

describe('the diff of two texts', () => {
  const names = { before: 'a', after: 'b' };
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i + 1}`);

  it('shows three lines around a change', () => {
    const before = numbered(20);
    const after = before.with(9, 'changed');
    expect(unifiedDiff(before.join('\n'), after.join('\n'), names)).toBe(
      '--- a\n+++ b\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13',
    );
  });

  it('separates distant changes', () => {
    const before = numbered(40);
    const after = ['first', ...before.slice(1, 30), ...before.slice(31)];
    const diff = unifiedDiff(before.join('\n'), after.join('\n'), names);
    expect(diff.match(/^@@ .*@@$/gm)).toEqual(['@@ -1,4 +1,4 @@', '@@ -28,7 +28,6 @@']);
  });

  it('is fast for texts with nothing in common', () => {
    const diff = unifiedDiff(
      numbered(5000).join('\n'),
      numbered(5000)
        .map((line) => `${line}!`)
        .join('\n'),
      names,
    );
    expect(diff.split('\n')).toHaveLength(3 + 10_000);
  });
});
