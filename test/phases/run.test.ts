/** `phases run`: the program itself drives the phases. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { processStartTime } from '../../src/store/process-identity.ts';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { startModelServer, type Turn } from '../rig/model-server/server.ts';
import { countOf, until } from '../rig/orchestrate.ts';
import { PhasesSite } from './site.ts';

/** An agent that executes the file named after the phase. */
const AGENT = `
prompt=$(cat)
phase=$(printf '%s' "$prompt" | sed -n 's/^Phase ID: //p')
printf '%s\\n' "$prompt" > "prompt-$phase.txt"
echo "$phase" >> calls
. "./$phase.sh"
`;

function answer(given: object): string {
  const whole = { status: 'completed', deliverables: [], context_for_next: '', error: '', ...given };
  return `echo '${JSON.stringify(whole)}'`;
}

async function siteWith(phases: { readonly [script: string]: string }): Promise<PhasesSite> {
  const site = new PhasesSite({ 'agent.sh': AGENT, '.gitignore': 'calls\nprompt-*.txt\n' });
  for (const [name, script] of Object.entries(phases)) site.write({ [`${name}.sh`]: script });
  await site.create('Create calculator module::engineer', 'Write and run tests::tester');
  execFileSync('git', ['init', '-q'], { cwd: site.folder });
  return site;
}

function isRunning(pid: number): boolean {
  return processStartTime(pid) !== undefined;
}

const RUN = ['phases', 'run', '--agent', 'sh agent.sh', '--quiet', '--retries', '0'];

describe('phases run', () => {
  it('works through the phases with role, context and changes found by git', async () => {
    const site = await siteWith({
      phase_0: `echo code > calculator.py\n${answer({ deliverables: ['four functions'], context_for_next: 'add and subtract' })}`,
      phase_1: `mkdir -p tests; echo test > tests/test_calculator.py\n${answer({ deliverables: ['./tests/test_calculator.py'] })}`,
    });
    site.write({
      '.claude/agents/engineer.md': '---\nname: engineer\nmodel: opus\n---\n\nYou write Python.\n',
    });
    const ended = await site.run(RUN);
    expect(ended).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('role file `tester.md` not found'),
    });
    expect(site.document()).toMatchObject({
      status: 'completed',
      phases: [
        {
          status: 'completed',
          deliverables: ['four functions', 'calculator.py'],
          context_for_next: 'add and subtract',
          run_id: site.runs()[0],
        },
        { status: 'completed', deliverables: ['tests/test_calculator.py'] },
      ],
    });
    expect(site.read('prompt-phase_0.txt')).toMatch(/^You write Python\.\n/);
    expect(site.read('prompt-phase_1.txt')).toContain('Context from the previous phase:\nadd and subtract');
    expect(site.read('prompt-phase_1.txt')).toContain(
      '- Create calculator module → four functions, calculator.py',
    );
    expect(site.state()).toMatchObject({ kind: 'phases', status: 'completed', title: site.document().task });
    expect(
      site
        .history()
        .map(({ by }) => by)
        .slice(1),
    ).toEqual(['run', 'run', 'run', 'run']);
    expect(await site.run(RUN)).toMatchObject({
      exitCode: 0,
      stderr: 'all phases are already completed: nothing to do\n',
    });
  });

  it('stops at a phase that the agent fails, and resume retries it', async () => {
    const site = await siteWith({
      phase_0: answer({}),
      phase_1: answer({ status: 'failed', error: 'no pytest here' }),
    });
    expect(await site.run(RUN)).toMatchObject({ exitCode: 1 });
    expect(site.document()).toMatchObject({
      status: 'failed',
      phases: [{ status: 'completed' }, { status: 'failed', error: 'no pytest here' }],
    });
    const [run = ''] = site.runs();
    // The call of the agent succeeded, but its answer says that the work did not.
    expect(site.state(run).steps).toMatchObject({
      phase_0: { status: 'completed' },
      phase_1: { status: 'failed' },
    });
    expect(await site.run(RUN)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`what its run says: \`orchestrate show ${run}\``),
    });
    site.write({ 'phase_1.sh': answer({}) });
    expect(await site.run(['resume', run, '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(site.state(run).steps).toMatchObject({ phase_1: { status: 'completed' } });
    expect(site.document()).toMatchObject({
      status: 'completed',
      phases: [{ attempts: 1 }, { attempts: 2 }],
    });
    expect(site.read('calls')).toBe('phase_0\nphase_1\nphase_1\n');
  });

  it('reports why the agent failed', async () => {
    const site = await siteWith({ phase_0: 'echo broken >&2; exit 3' });
    expect(await site.run(RUN)).toMatchObject({ exitCode: 1 });
    expect(site.document().phases[0]).toMatchObject({ status: 'failed', error: expect.stringMatching(/\S/) });
  });

  it('resumes after a kill', async () => {
    const site = await siteWith({
      phase_0: answer({}),
      phase_1: `if [ ! -e go ]; then touch waiting; while :; do sleep 0.05; done; fi\n${answer({})}`,
    });
    const started = site.start(RUN);
    await until(() => site.has('waiting'));
    started.child.kill('SIGKILL');
    await started.ended;
    expect(site.statuses()).toEqual(['completed', 'active']);
    site.write({ go: '' });
    expect(await site.run(['resume', site.runs()[0] ?? '', '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(site.statuses()).toEqual(['completed', 'completed']);
    expect(site.document().phases[1]).toMatchObject({ attempts: 1 });
    expect(countOf(site, 'calls')).toBe(3);
  });

  it('resumes the killed run and ends the agent it left running', async () => {
    const site = await siteWith({
      phase_0: `if [ ! -e go ]; then echo $$ > agent.pid; while :; do sleep 0.05; done; fi\n${answer({})}`,
      phase_1: answer({}),
    });
    const started = site.start(RUN);
    await until(() => site.has('agent.pid') && site.read('agent.pid') !== '');
    started.child.kill('SIGKILL');
    await started.ended;
    site.write({ go: '' });
    expect(await site.run(RUN)).toMatchObject({ exitCode: 0 });
    expect(site.runs()).toHaveLength(1);
    expect(isRunning(Number(site.read('agent.pid')))).toBe(false);
    expect(site.statuses()).toEqual(['completed', 'completed']);
  });

  it('leaves a phase to the run that is working on it', async () => {
    const site = await siteWith({
      phase_0: `touch waiting; while [ ! -e go ]; do sleep 0.05; done\n${answer({})}`,
      phase_1: answer({}),
    });
    const first = site.start(RUN);
    await until(() => site.has('waiting'));
    expect(await site.run(RUN)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`is being run by process ${first.pid}`),
    });
    expect(site.runs()).toHaveLength(1);
    site.write({ go: '' });
    expect(await first.ended).toMatchObject({ exitCode: 0 });
    expect(site.read('calls')).toBe('phase_0\nphase_1\n');
  });

  it('refuses invalid options before anything is started', async () => {
    const site = await siteWith({});
    for (const flags of [
      ['--agent', 'x && y'],
      ['--permissions', 'all'],
      ['--retries', 'many'],
      ['--timeout', '0'],
    ])
      expect(await site.run(['phases', 'run', ...flags]), flags.join(' ')).toMatchObject({ exitCode: 2 });
    expect(site.runs()).toEqual([]);
    expect(site.statuses()).toEqual(['pending', 'pending']);
  });
});

describe('phases run with the real Claude Code', { timeout: 180_000 }, () => {
  beforeAll(installClis, 15 * 60_000);

  it('builds the calculator and its tests without interference from its hooks', async () => {
    const site = new PhasesSite();
    await site.create('Create calculator module::general-purpose', 'Write and run tests::tester');
    site.write({
      '.claude/agents/tester.md': '---\nname: tester\ndescription: tests\n---\nYou test everything twice.\n',
    });
    await site.run(['hook', 'install', '--scope', 'local']);
    execFileSync('git', ['init', '-q'], { cwd: site.folder });
    const tool = (name: string, input: object): Turn => ({ type: 'tool', name, input: { ...input } });
    const finish = (given: object): Turn =>
      tool('StructuredOutput', {
        status: 'completed',
        deliverables: [],
        context_for_next: '',
        error: '',
        ...given,
      });
    const module_ = 'def add(a, b):\n    return a + b\n';
    const server = await startModelServer([
      tool('Write', { file_path: join(site.folder, 'calculator.py'), content: module_ }),
      // A subagent of the agent, which has no phase.
      tool('Agent', { description: 'look', prompt: 'Look at it.', subagent_type: 'general-purpose' }),
      { type: 'text', text: 'Looks good.' },
      finish({ deliverables: ['calculator.py'], context_for_next: 'it has the function add' }),
      { type: 'text', text: 'done' },
      tool('Write', {
        file_path: join(site.folder, 'test_calculator.py'),
        content: 'from calculator import add\nassert add(1, 2) == 3\n',
      }),
      tool('Bash', {
        command: 'python3 test_calculator.py && echo passed > result.txt',
        description: 'run the tests',
      }),
      finish({ deliverables: ['all tests pass'] }),
      { type: 'text', text: 'done' },
    ]);
    onTestFinished(() => server.close());
    const home = join(site.folder, 'home');
    fs.mkdirSync(join(home, 'bin'), { recursive: true });
    const words = CLAUDE_325.command().map((word) => `'${word}'`);
    fs.writeFileSync(join(home, 'bin', 'claude'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    site.write({ '.gitignore': 'home/\n' });
    const clean = cleanEnvironment(home);
    const env = {
      ...clean,
      ...CLAUDE_325.settle({ home, url: server.url }),
      PATH: `${home}/bin:${clean['PATH']}`,
    };
    const ended = await site.run(['phases', 'run', '--trust', '--permissions', 'bypass', '--quiet'], { env });
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(site.document()).toMatchObject({
      status: 'completed',
      phases: [
        { deliverables: ['calculator.py'], context_for_next: 'it has the function add', attempts: 1 },
        {
          deliverables: expect.arrayContaining(['all tests pass', 'result.txt', 'test_calculator.py']),
          attempts: 1,
        },
      ],
    });
    expect(site.read('result.txt')).toBe('passed\n');
    expect(site.history().filter(({ by }) => by === 'hook')).toEqual([]);
    const second = JSON.stringify(server.requests.map(({ body }) => body));
    expect(second).toContain('it has the function add');
    expect(second).toContain('You test everything twice.');
    expect(site.state().totals.cost_usd).toBeGreaterThan(0);
  });
});
