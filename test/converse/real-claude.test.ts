/** The loop with the real Claude Code CLI: real binary, real structured output, real tools of the loop, scripted model. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLAUDE_325, type Cli, CODEX, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { ask, type Said, Talk, text } from './rig.ts';

const TASK = 'Analyze data.csv and generate a summary report';
const DATA = 'month,orders\nJanuary,31\nFebruary,38\n';
const REPORT = '# Summary\n\n69 orders in two months.\n';
const TOOLS = [
  { name: 'list_files', builtin: 'list_files', parallel_safe: true },
  { name: 'read_file', builtin: 'read_file', parallel_safe: true },
  {
    name: 'sum_column',
    description: 'Adds up the second column of a CSV file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    command: ['awk', '-F,', 'NR > 1 { sum += $2 } END { print sum }', '{{input.path}}'],
    parallel_safe: true,
  },
  { name: 'write_file', builtin: 'write_file' },
];
/** Three rounds of tools, then the end. */
const ROUNDS: readonly Said[] = [
  [text('I look what is there.'), ask('toolu_1', 'list_files', { glob: '*.csv' })],
  [ask('toolu_2', 'read_file', { path: 'data.csv' }), ask('toolu_3', 'sum_column', { path: 'data.csv' })],
  [ask('toolu_4', 'write_file', { path: 'report.md', content: REPORT })],
  [text('The report is in report.md.')],
];

beforeAll(async () => {
  await installClis();
  process.stdout.write(
    `real CLIs: ${[CLAUDE_325, CODEX].map((cli) => `${cli.name} ${cli.version}`).join(', ')}\n`,
  );
}, 15 * 60_000);

interface Ran {
  readonly talk: Talk;
  readonly server: ModelServer;
  readonly ended: Awaited<ReturnType<Talk['converse']>>;
}

async function converse(cli: Cli, turns: readonly Turn[]): Promise<Ran> {
  const talk = new Talk({
    says: [],
    tools: TOOLS,
    workflow: { task: TASK, agent: { name: cli.name, command: cli.command() } },
    files: { 'talk/data.csv': DATA },
  });
  const server = await startModelServer(turns);
  onTestFinished(() => server.close());
  const home = path.join(talk.folder, 'home');
  fs.mkdirSync(home);
  const env = { ...cleanEnvironment(home), ...cli.settle({ home, url: server.url }) };
  const ended = await talk.converse(['run', 'talk', '-q'], { env });
  return { talk, server, ended };
}

function structured(content: Said): Turn {
  return { type: 'tool', name: 'StructuredOutput', input: { content } };
}

function expectReport({ talk, ended }: Ran): void {
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stdout: 'The report is in report.md.\n' });
  expect(talk.read('talk/report.md')).toBe(REPORT);
  expect(talk.session()).toMatchObject({
    status: 'completed',
    current_iteration: 4,
    metadata: { task: TASK },
  });
  expect(talk.turns()).toEqual([1, 2, 3, 4].flatMap((n) => [`${n} user`, `${n} assistant`]));
  const second = talk.read('talk/prompts/iteration_003.txt');
  expect(second).toContain(`Tool: read_file\nStatus: success\nOutput:\n${DATA}`);
  expect(second).toContain('Tool: sum_column\nStatus: success\nOutput:\n69\n');
  for (const [index, content] of ROUNDS.entries())
    expect(talk.json(`responses/iteration_00${index + 1}.json`)).toMatchObject({ content });
}

describe('a conversation with a real CLI', { timeout: 180_000 }, () => {
  it('analyzes data.csv and writes a summary report with the structured output of Claude Code', async () => {
    const ran = await converse(CLAUDE_325, ROUNDS.map(structured));
    expectReport(ran);
    expect(JSON.stringify(ran.server.requests[0]?.body)).toContain('StructuredOutput');
    expect(JSON.stringify(ran.server.requests[0]?.body)).toContain(TASK);
    expect(ran.talk.state().totals).toMatchObject({ agent_calls: 4, unknown_cost_calls: 0 });
    expect(ran.talk.state().totals.cost_usd).toBeGreaterThan(0);
  });

  it('reads the answer from the text if Claude Code gives no structured one', async () => {
    const answers = ROUNDS.map((content) => `Here:\n\n\`\`\`json\n${JSON.stringify({ content })}\n\`\`\``);
    // It requests the structured answer again before it gives up.
    const ran = await converse(
      CLAUDE_325,
      answers.flatMap((answer) => Array.from({ length: 2 }, (): Turn => ({ type: 'text', text: answer }))),
    );
    expect(ran.ended, ran.ended.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.talk.json('responses/iteration_001.json')).toEqual({ content: ROUNDS[0] });
  });

  it('reads the answer from the text of Codex', async () => {
    expectReport(
      await converse(
        CODEX,
        ROUNDS.map((content) => ({ type: 'text', text: JSON.stringify({ content }) })),
      ),
    );
  });
});
