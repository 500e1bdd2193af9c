/** The real Claude Code with the installed hooks, against a scripted model. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { phaseTodos } from '../../src/phases/todos.ts';
import { CLAUDE_197, CLAUDE_325, type Cli, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { DOCUMENT, PhasesSite, VIEW } from './site.ts';

beforeAll(installClis, 15 * 60_000);

const say = (text: string): Turn => ({ type: 'text', text });
const agent = (prompt: string, more: object = {}): Turn => ({
  type: 'tool',
  name: 'Agent',
  input: { description: 'a phase', prompt, subagent_type: 'general-purpose', ...more },
});
const write = (path: string, content: string): Turn => ({
  type: 'tool',
  name: 'Write',
  input: { file_path: path, content },
});

const FOREGROUND = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };

/** Runs it to the end; returns the requests it sent. */
async function claude(
  cli: Cli,
  site: PhasesSite,
  given: { readonly turns: readonly Turn[]; readonly env?: { readonly [name: string]: string } },
): Promise<ModelServer> {
  const server = await startModelServer(given.turns);
  onTestFinished(() => server.close());
  const home = join(site.folder, 'home');
  fs.mkdirSync(home, { recursive: true });
  const [program = '', ...first] = cli.command();
  const child = spawn(program, [...first, '-p', '--dangerously-skip-permissions'], {
    cwd: site.folder,
    env: { ...cleanEnvironment(home), ...cli.settle({ home, url: server.url }), ...FOREGROUND, ...given.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  child.stdin.end('Work through the phases.');
  onTestFinished(() => void child.kill('SIGKILL'));
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  expect(exitCode, said).toBe(0);
  expect(site.has('.claude/state/hook.log')).toBe(false);
  return server;
}

/** The whole text of a request to the model. */
function told(server: ModelServer, request: number): string {
  const body = JSON.stringify(server.requests[request]?.body ?? {});
  return body.replaceAll('\\\\\\"', '"').replaceAll('\\"', '"');
}

async function siteWith(...phases: readonly string[]): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create(...phases);
  expect(await site.run(['hook', 'install', '--scope', 'local'])).toMatchObject({ exitCode: 0 });
  return site;
}

describe.each([CLAUDE_325, CLAUDE_197])('with $label', { timeout: 180_000 }, (cli) => {
  it('a workflow of one phase is completed by its agent', async () => {
    const site = await siteWith('Create a file::general-purpose');
    const server = await claude(cli, site, {
      turns: [
        agent('Phase ID: phase_0\nCreate one.txt'),
        write(join(site.folder, 'one.txt'), '1'),
        say('Deliverables:\n- one.txt'),
        say('All done.'),
      ],
    });
    expect(told(server, 0)).toContain('Phase phase_0 (Create a file) is next');
    expect(site.document()).toMatchObject({
      status: 'completed',
      current_phase: null,
      phases: [{ status: 'completed', deliverables: ['one.txt'], attempts: 1 }],
    });
    expect(site.read(VIEW)).toContain('Status: completed | Current Phase: none');
    expect(site.history().map(({ phase, to }) => [phase, to])).toEqual([
      [undefined, 'pending'],
      ['phase_0', 'active'],
      ['phase_0', 'completed'],
    ]);
  });

  it('phases run in order, and each gets the context of the previous one', async () => {
    const site = await siteWith('Create calculator module::general-purpose', 'Write and run tests::tester');
    const server = await claude(cli, site, {
      turns: [
        agent('Phase ID: phase_0\nCreate calculator.py'),
        write(join(site.folder, 'calculator.py'), 'def add(a, b): return a + b\n'),
        say('I wrote calculator.py.\n\nContext for next: it has the function add'),
        agent('Phase ID: phase_1\nTest it'),
        say('Deliverables: test_calculator.py'),
        say('All done.'),
      ],
    });
    const afterFirst = told(server, 3);
    expect(afterFirst).toContain('Phase phase_1 (Write and run tests) is active, for the agent `tester`.');
    expect(afterFirst).toContain('Context from the previous phase: it has the function add');
    expect(site.document()).toMatchObject({
      status: 'completed',
      phases: [
        { deliverables: ['calculator.py'], context_for_next: 'it has the function add' },
        { deliverables: ['test_calculator.py'] },
      ],
    });
  });

  it('the document, the view and the list of the model agree at the end', async () => {
    const site = await siteWith('Create calculator module::general-purpose', 'Write and run tests::tester');
    const list = (...statuses: readonly string[]): readonly object[] =>
      site.document().phases.map(({ title }, i) => ({
        content: title,
        status: statuses[i],
        activeForm: `Working on ${title}`,
      }));
    const todo = (...statuses: readonly string[]): Turn => ({
      type: 'tool',
      name: 'TodoWrite',
      input: { todos: list(...statuses) },
    });
    const server = await claude(cli, site, {
      env: { CLAUDE_CODE_ENABLE_TASKS: '0' },
      turns: [
        todo('pending', 'pending'),
        agent('Phase ID: phase_0\nCreate it'),
        say('Deliverables: calculator.py'),
        todo('completed', 'in_progress'),
        agent('Phase ID: phase_1\nTest it'),
        say('Deliverables: test_calculator.py'),
        todo('completed', 'completed'),
        say('All done.'),
      ],
    });
    // The model writes the list it was given.
    expect(told(server, 3)).toContain(JSON.stringify(list('completed', 'in_progress')));
    expect(told(server, 6)).toContain(JSON.stringify(list('completed', 'completed')));
    const { todos } = JSON.parse(site.read('.claude/state/todos.json'));
    expect(todos).toEqual(phaseTodos(site.document()));
    expect(site.statuses()).toEqual(['completed', 'completed']);
    expect(site.read(VIEW)).toContain(
      '- [x] Phase 0: Create calculator module → calculator.py\n- [x] Phase 1: Write and run tests → test_calculator.py\n\n' +
        "## The agent's own list\n\n- [x] Create calculator module\n- [x] Write and run tests\n",
    );
  });

  it('a list of single tasks is kept too', async () => {
    const site = await siteWith('Only one');
    await claude(cli, site, {
      turns: [
        {
          type: 'tool',
          name: 'TaskCreate',
          input: { subject: 'Only one', description: 'd', activeForm: 'Working' },
        },
        { type: 'tool', name: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } },
        say('ok'),
      ],
    });
    expect(JSON.parse(site.read('.claude/state/todos.json')).todos).toEqual([
      { content: 'Only one', status: 'in_progress', activeForm: 'Working', id: '1' },
    ]);
    expect(site.statuses()).toEqual(['pending']);
  });

  it('an agent without a named phase works on the next one, if that is for its type', async () => {
    const site = await siteWith('First::general-purpose', 'Second::tester');
    await claude(cli, site, { turns: [agent('Do something useful.'), say('DONE|first.txt'), say('ok')] });
    expect(site.document()).toMatchObject({
      current_phase: 'phase_1',
      phases: [{ status: 'completed', deliverables: ['first.txt'] }, { status: 'active' }],
    });
  });

  it('an agent of another type than the phase completes nothing', async () => {
    const site = await siteWith('First::tester', 'Second');
    await site.phases('start');
    await claude(cli, site, { turns: [agent('Look around.'), say('DONE|first.txt'), say('ok')] });
    expect(site.statuses()).toEqual(['active', 'pending']);
  });

  it('an agent that delegates part of its phase completes it only when it ends itself', async () => {
    const site = await siteWith('First', 'Second');
    await claude(cli, site, {
      turns: [
        agent('Phase ID: phase_0'),
        agent('Do a part of it.'),
        say('DONE|part.txt'),
        say('DONE|first.txt'),
        say('ok'),
      ],
    });
    expect(site.document()).toMatchObject({
      current_phase: 'phase_1',
      phases: [{ status: 'completed', deliverables: ['first.txt'], attempts: 1 }, { status: 'active' }],
    });
  });

  it('an agent that cannot be started fails its phase', async () => {
    const site = await siteWith('First', 'Second');
    const server = await claude(cli, site, {
      turns: [agent('Phase ID: phase_0', { subagent_type: 'no-such-agent' }), say('ok')],
    });
    expect(site.document()).toMatchObject({
      status: 'failed',
      phases: [{ status: 'failed', error: expect.stringContaining('no-such-agent') }, { status: 'pending' }],
    });
    expect(told(server, 1)).toContain('orchestrate phases retry phase_0');
  });

  it('what hooks missed is closed once, from the transcript', async () => {
    const site = await siteWith('First', 'Second');
    const settings = JSON.parse(site.read('.claude/settings.local.json'));
    site.write({
      '.claude/settings.local.json': JSON.stringify({ hooks: { SessionStart: settings.hooks.SessionStart } }),
    });
    await claude(cli, site, { turns: [agent('Phase ID: phase_0'), say('DONE|first.txt'), say('ok')] });
    const before = site.read(DOCUMENT);
    expect(site.statuses()).toEqual(['pending', 'pending']);
    const files = site.list('.claude');
    expect((await site.phases('show')).stderr).toContain(
      'missed by hooks:\n  phase_0: pending → active\n  phase_0: active → completed\n  phase_1: pending → active\n',
    );
    expect(site.read(DOCUMENT)).toBe(before);
    expect(site.list('.claude')).toEqual(files);
    expect(await site.phases('reconcile')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.document().phases[0]).toMatchObject({ status: 'completed', deliverables: ['first.txt'] });
    expect(await site.phases('reconcile')).toMatchObject({ stderr: 'hooks missed nothing\n' });
    expect(site.history().filter(({ to }) => to === 'completed')).toHaveLength(1);
  });

  it('the last hook closes what the others missed', async () => {
    const site = await siteWith('First::general-purpose', 'Second');
    const { hooks } = JSON.parse(site.read('.claude/settings.local.json'));
    site.write({
      '.claude/settings.local.json': JSON.stringify({
        hooks: { PreToolUse: hooks.PreToolUse, Stop: hooks.Stop },
      }),
    });
    await claude(cli, site, { turns: [agent('Do the first.'), say('DONE|first.txt'), say('ok')] });
    expect(site.statuses()).toEqual(['completed', 'active']);
  });
});

describe('with a subagent in the background', { timeout: 180_000 }, () => {
  it('its phase is completed only when it has ended', async () => {
    const site = await siteWith('First', 'Second');
    await claude(CLAUDE_325, site, {
      env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '0' },
      turns: [agent('Phase ID: phase_0'), say('DONE|first.txt'), say('waiting'), say('ok')],
    });
    expect(site.document().phases[0]).toMatchObject({ status: 'completed', attempts: 1 });
    expect(site.history().filter(({ to }) => to === 'completed')).toHaveLength(1);
  });
});

describe('with a model that cannot be reached', { timeout: 180_000 }, () => {
  it('the phase fails although the tool reports completion', async () => {
    const site = await siteWith('First', 'Second');
    await claude(CLAUDE_197, site, {
      turns: [agent('Phase ID: phase_0'), { type: 'error', status: 400, message: 'no', times: 1 }, say('ok')],
    });
    expect(site.document()).toMatchObject({
      status: 'failed',
      phases: [{ status: 'failed', error: expect.stringContaining('400') }, { status: 'pending' }],
    });
  });
});
