import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { CLAUDE_ITERATE, Project, status, TASK } from './rig.ts';

describe('init', () => {
  it('creates the folder, its metadata, TODO.md and working/', async () => {
    const project = new Project();
    const ended = await project.iterate(['init', 'my-task_1']);
    expect(ended.exitCode).toBe(0);
    expect(project.list('claude-iterate/workspaces/my-task_1')).toEqual([
      '.metadata.json',
      'TODO.md',
      'working',
    ]);
    const metadata = project.metadata('my-task_1');
    expect(metadata).toEqual({
      name: 'my-task_1',
      created: metadata.created,
      status: 'in_progress',
      totalIterations: 0,
      setupIterations: 0,
      executionIterations: 0,
      mode: 'loop',
      maxIterations: 50,
      delay: 2,
      stagnationThreshold: 2,
    });
  });

  it('completes the folder of the workspaces when the first `init` was killed', async () => {
    const project = new Project();
    const env = killAt({ when: 'after', kind: 'mkdir', file: 'claude-iterate/workspaces', number: 1 });
    expect(await project.iterate(['init', 'task'], { env })).toMatchObject({ signal: 'SIGKILL' });
    expect(await project.iterate(['init', 'task'])).toMatchObject({ exitCode: 0 });
    expect(project.read('claude-iterate/workspaces/.gitignore')).toBe('*\n');
    // Who removes it to commit the workspaces keeps it removed.
    project.remove('claude-iterate/workspaces/.gitignore');
    await project.iterate(['init', 'second']);
    expect(project.has('claude-iterate/workspaces/.gitignore')).toBe(false);
  });

  it('keeps the given options, including 0', async () => {
    const project = new Project();
    await project.iterate([
      ...['init', 'x', '--mode', 'iterative', '-m', '7', '-d', '0', '--stagnation-threshold', '0'],
      ...['--notify-url', 'https://ntfy.sh/x', '--notify-events', 'error', 'completion', '--agent', 'gemini'],
    ]);
    expect(project.metadata('x')).toMatchObject({
      mode: 'iterative',
      maxIterations: 7,
      delay: 0,
      stagnationThreshold: 0,
      notifyUrl: 'https://ntfy.sh/x',
      notifyEvents: ['error', 'completion'],
      config: { agent: 'gemini' },
    });
    await project.iterate(['init', 'y', '--mode', 'iterative']);
    expect(project.metadata('y')).toMatchObject({ maxIterations: 20 });
  });

  it.each([
    [['bad name'], 'Invalid workspace name. Use only letters, numbers, hyphens, and underscores.'],
    [['../x'], 'Invalid workspace name. Use only letters, numbers, hyphens, and underscores.'],
    [['x', '--mode', 'loopy'], 'Invalid mode: loopy. Use loop or iterative.'],
    [
      ['x', '--max-iterations', '0'],
      "option '-m, --max-iterations <number>' argument '0' is invalid: must be a whole number, 1 or more",
    ],
    [
      ['x', '--delay', 'soon'],
      "option '-d, --delay <seconds>' argument 'soon' is invalid: must be a number of seconds, 0 or more",
    ],
    [
      ['x', '--agent', 'a | b'],
      "the agent cannot be used: `|` in `a | b` needs a shell, but none is used; write `sh -c '…'` to use one",
    ],
    [['x', '--notify-events', 'nothing'], 'Invalid notify event: nothing'],
    [
      ['x', '--notify-url', 'nowhere'],
      'Invalid notify URL: `nowhere` does not start with http://, https://, slack:// or discord://',
    ],
  ])('refuses %s', async (argv, message) => {
    const project = new Project();
    const ended = await project.iterate(['init', ...argv]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(project.has('claude-iterate')).toBe(false);
  });

  it('never touches an existing workspace', async () => {
    const project = new Project();
    await project.task(['-m', '3']);
    const ended = await project.iterate(['init', 'task']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('error: Workspace already exists: task\n');
    expect(project.metadata().maxIterations).toBe(3);
  });
});

describe('a number that is an argument', () => {
  it('is refused in the words of an option', async () => {
    const project = new Project();
    await project.task();
    expect(await project.iterate(['rollback', 'task', 'x'])).toMatchObject({
      exitCode: 1,
      stderr: "error: argument 'iteration' 'x' is invalid: must be a whole number, 0 or more\n",
    });
  });
});

describe('list and show', () => {
  it('show the workspaces', async () => {
    const project = new Project();
    expect((await project.iterate(['list'])).stderr).toBe(
      'No workspaces found. Create one: claude-iterate init <name>\n',
    );
    await project.iterate(['init', 'a']);
    await project.iterate(['init', 'b', '--mode', 'iterative']);
    expect((await project.iterate(['ls'])).stdout).toBe(
      'NAME  STATUS       MODE       ITERATIONS  LAST RUN\na     in_progress  loop                0  never\nb     in_progress  iterative           0  never\n',
    );
    expect(JSON.parse((await project.iterate(['list', '--status', 'completed', '--json'])).stdout)).toEqual(
      [],
    );
    expect((await project.iterate(['list', '--status', 'completed'])).stderr).toBe(
      'No workspaces with status completed.\n',
    );
    expect(await project.iterate(['list', '--status', 'odd'])).toMatchObject({
      exitCode: 1,
      stderr: 'error: Invalid status: odd. Use in_progress, completed, error.\n',
    });
    const shown = await project.iterate(['show', 'b']);
    expect(shown.stdout).toContain('Workspace:      b\n');
    expect(shown.stdout).toContain('Instructions:   no: claude-iterate setup b\n');
    expect((await project.iterate(['show', 'c'])).stderr).toContain('error: Workspace not found: c\n');
  });

  it('show when a loop stops for stagnation only if its mode does', async () => {
    const project = new Project();
    await project.iterate(['init', 'items']);
    await project.iterate(['init', 'whole', '--mode', 'iterative']);
    expect((await project.iterate(['show', 'items'])).stdout).not.toContain('Stagnation');
    expect((await project.iterate(['show', 'whole'])).stdout).toContain(
      'Stagnation:     stops after 2 iterations without work\n',
    );
  });

  it('report a damaged metadata file with its path', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.metadata.json`]: '{"name": "task",\n "mode": }' });
    const ended = await project.iterate(['show', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('.metadata.json` line 2');
    project.write({ [`${TASK}/.metadata.json`]: '{"name": "task", "created": "now", "mode": "odd"}' });
    const file = path.join(project.folder, TASK, '.metadata.json');
    expect((await project.iterate(['show', 'task'])).stderr).toBe(
      `error: \`${file}\` is not valid: \`created\` must be a time; \`status\` is missing; \`totalIterations\` is missing; \`setupIterations\` is missing; \`executionIterations\` is missing; \`mode\` must be loop or iterative\n`,
    );
  });

  it('name an unusable file', async () => {
    const project = new Project({ 'task.md': 'Do it.\n' });
    await project.iterate(['init', 'task']);
    fs.mkdirSync(path.join(project.folder, TASK, 'INSTRUCTIONS.md'));
    const file = path.join(project.folder, TASK, 'INSTRUCTIONS.md');
    for (const command of [
      ['run', 'task', '--dry-run'],
      ['setup', 'task', '--from', 'task.md'],
    ]) {
      expect(await project.iterate(command)).toMatchObject({
        exitCode: 1,
        stderr: `error: \`${file}\`: it is a folder (EISDIR)\nhelp: move that folder: a file belongs there\n`,
      });
    }
    expect((await project.iterate(['setup', 'task', '--from', 'no.md'])).stderr).toBe(
      'error: cannot read `no.md`: no such file or folder (ENOENT)\n',
    );
  });
});

describe('setup and edit', () => {
  it('read instructions from standard input', async () => {
    const project = new Project();
    await project.iterate(['init', 'task']);
    const setup = ['setup', 'task', '--from', '-'];
    const empty = await project.iterate(setup, { input: '\n' });
    expect(empty).toMatchObject({ exitCode: 1, stderr: 'error: `-` is empty\n' });
    expect(project.has(`${TASK}/INSTRUCTIONS.md`)).toBe(false);
    const taken = await project.iterate(setup, { input: 'Do ${this} and that.\n' });
    expect(taken.exitCode).toBe(0);
    expect(project.read(`${TASK}/INSTRUCTIONS.md`)).toBe('Do ${this} and that.\n');
  });

  it('need a terminal for an interactive session', async () => {
    const project = new Project();
    await project.iterate(['init', 'task']);
    project.agent({});
    const ended = await project.iterate(['setup', 'task']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toBe(
      'error: setup with an agent needs a terminal\nhelp: claude-iterate setup task --from <file>\n',
    );
    expect((await project.iterate(['edit', 'task'])).stderr).toContain(
      'Instructions not found. Run setup first: claude-iterate setup task',
    );
  });

  it('hand the terminal over to the agent, which writes the instructions', async () => {
    const project = new Project();
    await project.iterate(['init', 'task']);
    // An agent that works only if it has the terminal itself.
    fs.writeFileSync(
      path.join(project.elsewhere, 'bin', 'claude'),
      `#!/bin/sh\ntest -t 0 && test -t 1 || exit 9\nfor last; do :; done\nprintf '%s' "$last" > ${project.folder}/${TASK}/INSTRUCTIONS.md\n`,
      { mode: 0o755 },
    );
    const setup = `${process.execPath} ${CLAUDE_ITERATE} setup task`;
    const ended = spawnSync('script', ['-qec', setup, '/dev/null'], {
      cwd: project.folder,
      env: {
        PATH: project.path,
        HOME: project.folder,
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
        TERM: 'xterm',
      },
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    expect(ended.stdout).toContain('✓ Instructions written:');
    expect(ended.status).toBe(0);
    expect(project.read(`${TASK}/INSTRUCTIONS.md`)).toContain('First ask me what I want done.');
    expect(project.metadata()).toMatchObject({
      setupIterations: 1,
      totalIterations: 1,
      executionIterations: 0,
    });
  });
});

describe('reset', () => {
  it('resets counters, status and the status file, and keeps the rest', async () => {
    const project = new Project();
    await project.task(['-m', '9']);
    project.agent({ calls: [status({ complete: true })] });
    await project.iterate(['run', 'task', '--no-verify', '--quiet']);
    expect(project.metadata()).toMatchObject({ status: 'completed', executionIterations: 1 });
    expect((await project.iterate(['reset', 'task'])).exitCode).toBe(0);
    const metadata = project.metadata();
    expect(metadata).toMatchObject({
      status: 'in_progress',
      totalIterations: 0,
      executionIterations: 0,
      maxIterations: 9,
    });
    expect(metadata).not.toHaveProperty('stopReason');
    expect(metadata).not.toHaveProperty('run');
    expect(project.has(`${TASK}/.status.json`)).toBe(false);
    expect(project.has(`${TASK}/INSTRUCTIONS.md`)).toBe(true);
  });
});

describe('template', () => {
  it('copies instructions, mode, limits, notifications and settings', async () => {
    const project = new Project();
    await project.task([
      '--mode',
      'iterative',
      '-m',
      '8',
      '-d',
      '0',
      '--notify-url',
      'https://ntfy.sh/x',
      '--agent',
      'codex',
    ]);
    project.write({ [`${TASK}/.status-instructions.md`]: 'Be short.\n' });
    expect((await project.iterate(['template', 'save', 'task', 'migration'])).exitCode).toBe(0);
    expect((await project.iterate(['tpl', 'use', 'migration', 'next'])).exitCode).toBe(0);
    const next = project.metadata('next');
    expect(next).toMatchObject({
      name: 'next',
      mode: 'iterative',
      maxIterations: 8,
      delay: 0,
      notifyUrl: 'https://ntfy.sh/x',
      config: { agent: 'codex' },
      executionIterations: 0,
    });
    expect(project.read('claude-iterate/workspaces/next/INSTRUCTIONS.md')).toBe('Complete the task.\n');
    expect(project.read('claude-iterate/workspaces/next/.status-instructions.md')).toBe('Be short.\n');
    expect((await project.iterate(['template', 'list'])).stdout).toBe(
      'NAME       SOURCE\nmigration  project\n',
    );
    expect((await project.iterate(['template', 'show', 'migration'])).stdout).toContain('Complete the task.');
    expect((await project.iterate(['template', 'save', 'task', 'migration'])).stderr).toContain(
      'Template already exists: migration',
    );
    expect((await project.iterate(['template', 'use', 'migration', 'next'])).stderr).toContain(
      'Workspace already exists: next',
    );
    expect((await project.iterate(['template', 'use', 'nothing', 'n'])).stderr).toContain(
      'Template not found: nothing',
    );
    expect((await project.iterate(['template', 'delete', 'migration'])).exitCode).toBe(1);
    expect((await project.iterate(['template', 'delete', 'migration', '-f'])).exitCode).toBe(0);
    expect((await project.iterate(['template', 'list'])).stdout).toBe('');
  });

  it('can be shared by all projects', async () => {
    const project = new Project();
    await project.task();
    await project.iterate(['template', 'save', 'task', 'everywhere', '--global']);
    expect((await project.iterate(['template', 'list'])).stdout).toContain('everywhere  global');
    expect(project.has('.config/claude-iterate/templates/everywhere/template.json')).toBe(true);
  });
});
