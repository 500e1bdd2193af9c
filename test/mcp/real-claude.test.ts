/** The real Claude Code uses the server like any other MCP server. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BINARY, PhasesSite } from '../phases/site.ts';
import { CLAUDE_197, CLAUDE_325, type Cli, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import {
  type ModelServer,
  type RequestBody,
  startModelServer,
  type Turn,
} from '../rig/model-server/server.ts';

beforeAll(installClis, 15 * 60_000);

const REPORT = [
  { type: 'tool', name: 'mcp__orchestrate__workflow_get', input: {} },
  {
    type: 'tool',
    name: 'mcp__orchestrate__phase_complete',
    input: { phase: 'phase_0', deliverables: ['first.txt'], context: 'it is done' },
  },
  { type: 'text', text: 'Reported.' },
] as const;

const ASK = `name: ask
steps:
  - { name: Say, command: [echo, hello from the run] }
  - name: Release
    approve: { message: "Release it?", choices: [yes, no] }
`;

const call = (tool: string, input: object): Turn => ({
  type: 'tool',
  name: `mcp__orchestrate__${tool}`,
  input: { ...input },
});

/** Claude Code does not wait for its servers: the model is busy with something else until it is offered their tools. */
function onceConnected(turns: readonly Turn[]): (body: RequestBody) => Turn {
  const left = [...turns];
  return (body) => {
    const isFirst = left.length === turns.length;
    if (isFirst && !JSON.stringify(body).includes('mcp__orchestrate__'))
      return { type: 'tool', name: 'Glob', input: { pattern: '*.yaml' } };
    return left.shift() ?? { type: 'text', text: 'Done.' };
  };
}

/** A workspace with an active phase, a model that reports it, and the CLI. */
async function stage(cli: Cli, turns: readonly Turn[] = REPORT) {
  const site = new PhasesSite({ 'ask.yaml': ASK });
  await site.create('First', 'Second');
  await site.phases('start');
  const server = await startModelServer(onceConnected(turns));
  onTestFinished(() => server.close());
  const home = join(site.folder, 'home');
  fs.mkdirSync(join(home, 'bin'), { recursive: true });
  fs.symlinkSync(BINARY, join(home, 'bin', 'orchestrate'));
  const env = cleanEnvironment(home);
  return {
    ...{ site, server },
    claude: (...words: readonly string[]) =>
      run(cli, words, {
        cwd: site.folder,
        env: { ...env, ...cli.settle({ home, url: server.url }), PATH: `${home}/bin:${process.env['PATH']}` },
      }),
  };
}

/** Its output; it must succeed. */
async function run(
  cli: Cli,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const [program = '', ...first] = cli.command();
  const child = spawn(program, [...first, ...words], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  child.stdin.end('Report what you did.');
  expect(await new Promise((resolve) => child.once('close', resolve)), said).toBe(0);
  return said;
}

function expectReport(site: PhasesSite, server: ModelServer): void {
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('it is done');
  expect(site.document()).toMatchObject({
    current_phase: 'phase_1',
    phases: [{ status: 'completed', deliverables: ['first.txt'], context_for_next: 'it is done' }, {}],
  });
  expect(site.history().at(-1)).toMatchObject({ by: 'mcp' });
}

describe.each([CLAUDE_325, CLAUDE_197])('with $label', { timeout: 180_000 }, (cli) => {
  it('reports a phase through a tool of the server', async () => {
    const { site, server, claude } = await stage(cli);
    site.write({
      'mcp.json': JSON.stringify({
        mcpServers: { orchestrate: { command: process.execPath, args: [BINARY, 'mcp'] } },
      }),
    });
    const talk = ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
    await claude(...talk, '--mcp-config', 'mcp.json', '--strict-mcp-config');
    expectReport(site, server);
  });

  it('starts a run, follows it, reads a log and reports a phase, and is refused the approval', async () => {
    const { site, server, claude } = await stage(cli, [
      call('run_start', { workflow: 'ask.yaml' }),
      call('run_follow', { run: 'last', until_end: true, wait_seconds: 120 }),
      call('run_log', { run: 'last', step: 'Say' }),
      call('run_approve', { run: 'last', step: 'Release', choice: 'yes', by: 'Alice' }),
      call('phase_complete', {
        phase: 'phase_0',
        deliverables: ['first.txt'],
        context_for_next: 'it is done',
      }),
      { type: 'text', text: 'Reported.' },
    ]);
    await claude('mcp', 'add', 'orchestrate', '--', 'orchestrate', 'mcp');
    await claude('-p', '--allowedTools', 'mcp__orchestrate');
    const [run = ''] = site.runs();
    const told = JSON.stringify(server.requests.at(-1)?.body);
    expect(told).toContain(run);
    expect(told).toContain('hello from the run');
    expect(told).toContain('Release it?');
    expect(told).toMatch(/No such tool available: mcp__orchestrate__run_approve/);
    expectReport(site, server);
    const state = JSON.parse((await site.run(['show', run, '--json'])).stdout);
    expect(state).toMatchObject({ status: 'waiting', steps: { Say: { status: 'completed' } } });
    expect(site.list(`.orchestrate/runs/${run}`).filter((name) => name.startsWith('answers/'))).toEqual([]);
  });

  it('connects to the server once it is added, and only needs permission for its tools', async () => {
    const { site, server, claude } = await stage(cli);
    await claude('mcp', 'add', 'orchestrate', '--', 'orchestrate', 'mcp');
    expect(await claude('mcp', 'list')).toMatch(/^orchestrate: orchestrate mcp - .*Connected$/m);
    await claude('-p', '--allowedTools', 'mcp__orchestrate');
    expectReport(site, server);
  });
});
