/** Links out of a workspace, hard links and pipes: nothing outside changes, and nothing hangs. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project, TASK } from '../iterate/rig.ts';
import { PhasesSite } from '../phases/site.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const CANARY = 'not yours\n';

class Outside {
  readonly folder = temporaryFolder();
  readonly file = path.join(this.folder, 'canary');

  constructor() {
    fs.writeFileSync(this.file, CANARY);
  }

  mustBeUntouched(): void {
    expect(fs.readdirSync(this.folder)).toEqual(['canary']);
    expect(fs.readFileSync(this.file, 'utf8')).toBe(CANARY);
  }
}

function link(to: string, site: Workspace, name: string): void {
  const place = path.join(site.folder, name);
  fs.rmSync(place, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.symlinkSync(to, place);
}

function pipe(site: Workspace, name: string): void {
  fs.rmSync(path.join(site.folder, name), { recursive: true, force: true });
  execFileSync('mkfifo', [path.join(site.folder, name)]);
}

const IN_ITS_PATH = 'its path contains a symbolic link; replace the link with a real file or folder (ELOOP)';
const TODO = { tool_name: 'TodoWrite', tool_input: { todos: [{ content: 'a', status: 'pending' }] } };
const PIPES = ['workflow.json', 'session.json', 'todos.json', 'workflow-history.jsonl', 'workflow.json.lock'];

describe('files of phases', () => {
  it('a hook does not write its log through a link', async () => {
    const outside = new Outside();
    const site = new PhasesSite();
    await site.create('First');
    link(outside.file, site, '.claude/state/hook.log');
    site.write({ '.claude/state/workflow.json': '{' });
    expect(await site.hook('post-tool-use', { session_id: 's', ...TODO })).toMatchObject({ exitCode: 0 });
    outside.mustBeUntouched();
  });

  it('the history is not written through a link', async () => {
    const outside = new Outside();
    const site = new PhasesSite();
    await site.create('First');
    link(outside.file, site, '.claude/state/workflow-history.jsonl');
    const place = path.join(site.folder, '.claude/state/workflow-history.jsonl');
    expect(await site.phases('start')).toMatchObject({
      exitCode: 1,
      stderr: `error: cannot change \`${place}\`: ${IN_ITS_PATH}\n`,
    });
    expect(site.statuses()).toEqual(['pending']);
    outside.mustBeUntouched();
  });

  it('a history with a hard link is replaced by a copy', async () => {
    const outside = new Outside();
    const site = new PhasesSite();
    await site.create('First');
    const history = path.join(site.folder, '.claude/state/workflow-history.jsonl');
    const before = site.read('.claude/state/workflow-history.jsonl');
    fs.rmSync(history);
    fs.writeFileSync(outside.file, before);
    fs.linkSync(outside.file, history);
    expect(await site.phases('start')).toMatchObject({ exitCode: 0 });
    expect(fs.readFileSync(outside.file, 'utf8')).toBe(before);
    expect(site.history().map(({ to }) => to)).toEqual(['pending', 'active']);
  });

  it.each(['.claude', '.claude/state', '.claude/state/archive'])(
    'nothing is created below a link at %s',
    async (name) => {
      const outside = new Outside();
      const site = new PhasesSite();
      if (name.endsWith('archive')) await site.create('First');
      link(outside.folder, site, name);
      const ended = await (name.endsWith('archive')
        ? site.phases('archive')
        : site.phases('create', 'T', '--phase', 'A'));
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toContain(IN_ITS_PATH);
      outside.mustBeUntouched();
    },
  );

  it('a folder may be a link to another place inside the workspace', async () => {
    const site = new PhasesSite({ 'config/keep': '' });
    link('config', site, '.claude');
    await site.create('First');
    expect(await site.phases('start')).toMatchObject({ exitCode: 0, stdout: 'phase_0 active First\n' });
    expect(await site.hook('post-tool-use', { session_id: 's', ...TODO })).toMatchObject({ exitCode: 0 });
    expect(site.has('config/state/todos.json')).toBe(true);
    expect(site.has('config/workflow_state_system.md')).toBe(true);
  });

  it.each(PIPES)('a pipe as %s blocks neither a hook nor a command', async (name) => {
    const site = new PhasesSite();
    await site.create('First');
    pipe(site, `.claude/state/${name}`);
    const event = { session_id: 's', transcript_path: '/nowhere.jsonl', ...TODO };
    expect(await site.hook('post-tool-use', event)).toMatchObject({ exitCode: 0 });
    const ended = await site.phases('start');
    expect([0, 1]).toContain(ended.exitCode);
    expect(ended.stderr).not.toContain('internal error');
  });

  it('project settings are not written through a link that leads outside', async () => {
    const outside = new Outside();
    const site = new PhasesSite();
    fs.writeFileSync(outside.file, '{}\n');
    link(outside.file, site, '.claude/settings.json');
    const ended = await site.run(['hook', 'install', '--command', 'orchestrate']);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain(IN_ITS_PATH);
    expect(fs.readFileSync(outside.file, 'utf8')).toBe('{}\n');
  });
});

const HELLO = 'name: hello\nsteps:\n  - name: Say\n    command: [echo, hi]\n';

describe('files of runs', () => {
  it('an output_file with a hard link elsewhere is replaced by a copy', async () => {
    const outside = new Outside();
    const site = new Workspace({ 'hello.yaml': `${HELLO}    output_file: said.txt\n` });
    fs.linkSync(outside.file, path.join(site.folder, 'said.txt'));
    expect(await site.run(['run', 'hello.yaml', '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(site.read('said.txt')).toBe('hi\n');
    outside.mustBeUntouched();
  });

  it.each(['.orchestrate', '.orchestrate/runs'])('a run is not stored behind a link at %s', async (name) => {
    const outside = new Outside();
    const site = new Workspace({ 'hello.yaml': HELLO });
    link(outside.folder, site, name);
    const ended = await site.run(['run', 'hello.yaml', '--quiet']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(IN_ITS_PATH);
    expect(ended.stderr).toContain(
      'help: replace the symbolic link with a folder (to keep it on another disk, use a mount)',
    );
    outside.mustBeUntouched();
  });

  it('a linked run folder is neither read nor removed', async () => {
    const outside = new Outside();
    const site = new Workspace({ 'hello.yaml': HELLO });
    await site.run(['run', 'hello.yaml', '--quiet']);
    const [runId = ''] = site.runs();
    const elsewhere = path.join(temporaryFolder(), 'run');
    fs.renameSync(site.runFolder(), elsewhere);
    link(elsewhere, site, `.orchestrate/runs/${runId}`);
    const before = fs.readdirSync(elsewhere, { recursive: true });
    for (const argv of [
      ['show', runId],
      ['resume', runId],
      ['clean', '--older-than', '0m', '--force'],
    ]) {
      const ended = await site.run(argv);
      expect(ended, argv.join(' ')).toMatchObject({ exitCode: 1 });
      expect(ended.stderr).toContain(IN_ITS_PATH);
    }
    expect(fs.readdirSync(elsewhere, { recursive: true })).toEqual(before);
    expect(site.runs()).toEqual([runId]);
    outside.mustBeUntouched();
  });

  it.each(['journal.jsonl', 'state.json', 'lock', 'logs/orchestrator.log', 'cancel.json', 'moves.jsonl'])(
    'a pipe as %s blocks no command',
    async (name) => {
      const site = new Workspace({ 'hello.yaml': `${HELLO}  - name: Fail\n    command: ['false']\n` });
      await site.run(['run', 'hello.yaml', '--quiet']);
      const runId = site.runs()[0] ?? '';
      pipe(site, `.orchestrate/runs/${runId}/${name}`);
      for (const argv of [
        ['runs'],
        ['show', runId],
        ['logs', runId],
        ['doctor', runId],
        ['resume', runId, '--quiet'],
      ]) {
        const ended = await site.run(argv);
        expect(ended.signal).toBe(null);
        expect(ended.stderr).not.toContain('internal error');
      }
    },
  );

  it.each(['logs', 'prompts', 'responses', 'logs/Fail.try2.stdout'])(
    'nothing is written through a link at %s when the run is resumed',
    async (name) => {
      const outside = new Outside();
      const steps =
        '  - name: Ask\n    provider: m\n    input_file: ask.txt\n  - name: Fail\n    command: [sh, -c, "echo x; exit 1"]\n';
      const site = new Workspace({
        'ask.txt': 'hi',
        'w.yaml': `name: w\nproviders:\n  m: {adapter: mock}\nsteps:\n${steps}`,
      });
      await site.run(['run', 'w.yaml', '--quiet']);
      link(
        name.includes('.stdout') ? outside.file : outside.folder,
        site,
        `.orchestrate/runs/${site.runs()[0]}/${name}`,
      );
      const ended = await site.run(['resume', 'last', '--quiet']);
      expect(ended.exitCode).toBe(1);
      outside.mustBeUntouched();
    },
  );
});

describe('files of iterate', () => {
  it.each(['.metadata.json', '.status.json', 'INSTRUCTIONS.md', '.status-instructions.md', '.lock', '.stop'])(
    'a pipe as %s blocks nothing',
    async (name) => {
      const project = new Project();
      await project.task();
      pipe(project, `${TASK}/${name}`);
      for (const argv of [
        ['list'],
        ['show', 'task'],
        ['run', 'task', '--dry-run', '-m', '1', '--no-delay'],
      ]) {
        const ended = await project.iterate(argv);
        expect(ended.signal).toBe(null);
        expect(ended.stderr).not.toContain('internal error');
      }
    },
  );

  it('settings that are a pipe are reported and do not block', async () => {
    const project = new Project();
    pipe(project, '.claude-iterate.json');
    expect(await project.iterate(['list'])).toMatchObject({
      exitCode: 1,
      stderr: `error: cannot read \`${project.folder}/.claude-iterate.json\`: it is not a regular file (EFTYPE)\n`,
    });
  });

  it('settings that lead to an endless device are reported', async () => {
    const project = new Project();
    link('/dev/zero', project, '.claude-iterate.json');
    const ended = await project.iterate(['list']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(IN_ITS_PATH);
  });

  it('user settings may be a link', async () => {
    const project = new Project();
    const elsewhere = path.join(temporaryFolder(), 'settings.json');
    fs.writeFileSync(elsewhere, '{"defaultDelay": 7}');
    const home = temporaryFolder();
    fs.mkdirSync(path.join(home, 'claude-iterate'));
    fs.symlinkSync(elsewhere, path.join(home, 'claude-iterate', 'config.json'));
    const env = { XDG_CONFIG_HOME: home };
    const shown = await project.run(['iterate', 'config', 'defaultDelay'], { env });
    expect(shown.stdout).toMatch(/^7 /);
    await project.run(['iterate', 'config', '--global', 'defaultDelay', '8'], { env });
    expect(JSON.parse(fs.readFileSync(elsewhere, 'utf8'))).toEqual({ defaultDelay: 8 });
  });

  it.each([
    'claude-iterate',
    'claude-iterate/workspaces',
    'claude-iterate/archive',
    'claude-iterate/templates',
  ])('nothing is created behind a link at %s', async (name) => {
    const outside = new Outside();
    const project = new Project();
    if (name.includes('/a') || name.includes('/t')) await project.task();
    link(outside.folder, project, name);
    for (const argv of [
      ['init', 'other'],
      ['archive', 'save', 'task'],
      ['template', 'save', 'task', 't'],
    ])
      await project.iterate(argv);
    outside.mustBeUntouched();
  });

  it('project settings name no folder outside it without a question', async () => {
    const outside = new Outside();
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ workspacesDir: outside.folder }),
    });
    const ended = await project.iterate(['init', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(`  workspacesDir = ${outside.folder}  (.claude-iterate.json; new)\n`);
    outside.mustBeUntouched();
  });
});

describe('files of sessions', () => {
  it.each([
    'workflow-session.json',
    '.task/IMPL-1.json',
    '.lock',
    'TODO_LIST.md',
    'IMPL_PLAN.md',
    '.task-index.json',
  ])('a pipe or a link as %s neither blocks nor leads outside', async (name) => {
    const outside = new Outside();
    const site = new Workspace();
    await site.run(['session', 'start', 'It']);
    await site.run(['task', 'create', '--title', 'One']);
    const use = async (): Promise<void> => {
      for (const argv of [
        ['task', 'list'],
        ['session', 'status'],
        ['views'],
        ['task', 'create', '--title', 'Two'],
        ['task', 'validate'],
      ]) {
        const ended = await site.run(argv);
        expect(ended.signal).toBe(null);
        expect(ended.stderr).not.toContain('internal error');
      }
    };
    pipe(site, `.workflow/WFS-it/${name}`);
    await use();
    link(outside.file, site, `.workflow/WFS-it/${name}`);
    await use();
    outside.mustBeUntouched();
  });
});
