/** Which folder a command works in: `-C`, and the workspace above the current folder. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findWorkspace } from '../../src/store/find-workspace.ts';
import { BINARY, type StartOptions, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const WHERE = 'name: Where\nsteps:\n  - {name: Pwd, command: [pwd]}\n';
const isRoot = process.getuid?.() === 0;

/** A workspace below a home folder, with a subfolder `src/deep`. */
function project(files: { readonly [name: string]: string } = {}): Workspace {
  return new Workspace({
    'src/deep/x': '',
    'workflows/where.yaml': WHERE,
    '.orchestrate/.gitignore': '*\n',
    ...files,
  });
}

/** From a subfolder, with another folder as home. */
function inside(folder: string): StartOptions {
  return { in: folder, env: { HOME: temporaryFolder() } };
}

describe('-C', () => {
  test.each([
    [['-C', 'a', 'runs']],
    [['runs', '-C', 'a']],
    [['runs', '-Ca']],
    [['-C', 'a/b', 'runs', '-C', '..']],
    [['-C', '', '-C', 'a', 'runs']],
  ])('a command works in the folder of `-C`, before or after its name: %j', async (argv) => {
    const workspace = new Workspace({ 'a/b/x': '', 'a/w.yaml': WHERE });
    expect(await workspace.run(['-C', 'a', 'run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const folder = path.join(workspace.folder, 'a');
    const state = fs.readdirSync(path.join(folder, '.orchestrate/runs'));
    expect(await workspace.run(argv)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(state[0] ?? ''),
      stderr: '',
    });
    expect(workspace.has('.orchestrate')).toBe(false);
  });

  test('commands that messages propose repeat it', async () => {
    const workspace = new Workspace({
      'my app/ask.yaml':
        'steps:\n  - {name: Ask, approve: {message: Sure?}}\n  - {name: Bad, command: ["false"]}\n',
    });
    const at = "orchestrate -C 'my app'";
    const stopped = await workspace.run(['-C', 'my app', 'run', 'ask.yaml']);
    const [runId = ''] = fs.readdirSync(path.join(workspace.folder, 'my app/.orchestrate/runs'));
    expect(stopped.stderr).toContain(
      `${at} approve ${runId} Ask --choose approve\n    ${at} approve ${runId} Ask --choose reject\n  then: ${at} resume ${runId}\n`,
    );
    expect((await workspace.run(['show', '-C', 'my app', runId])).stdout).toContain(
      `  ${at} approve ${runId} Ask`,
    );
    const answered = await workspace.run(['-C', 'my app', 'approve', runId, 'Ask', '--choose', 'approve']);
    expect(answered.stderr).toContain(`Continue with: ${at} resume ${runId}\n`);
    const failed = await workspace.run(['-C', '.', '-C', 'my app', 'resume', runId]);
    expect(failed.stderr).toContain(`  to continue: ${at} resume ${runId}\n`);
    expect((await workspace.run(['-C', 'my app', 'show', 'nope'])).stderr).toContain(`\`${at} runs\``);
    expect((await workspace.run(['-C', 'my app', 'init'])).stderr).toContain(
      `  ${at} run workflows/hello.yaml\n`,
    );
    const below = 'my app/workflows';
    expect(
      (await workspace.run(['-C', '../..', '-C', 'my app', 'show', runId], { in: below })).stdout,
    ).toContain('to continue:  orchestrate -C .. resume ');
    expect((await workspace.run(['-C', '.', 'show', runId], { in: below })).stdout).toContain(
      'to continue:  orchestrate resume ',
    );
  });

  test('a folder that does not exist is reported', async () => {
    expect(await new Workspace().run(['runs', '-C', 'none'])).toEqual({
      exitCode: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringContaining(
        "error: option '-C <folder>' argument 'none' is invalid: no such file or folder (ENOENT)\n",
      ),
    });
  });

  test('`help` finds its command after `-C`', async () => {
    const { exitCode, stdout } = await new Workspace().run(['-C', '/', 'help', 'runs']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Usage: orchestrate runs')]);
  });

  test.each([
    [['init'], 'workflows/hello.yaml'],
    [['session', 'start', 'Work'], '.workflow'],
    [['phases', 'create', 'Work', '--phase', 'One'], '.claude/state/workflow.json'],
    [['hook', 'install', '--scope', 'local'], '.claude/settings.local.json'],
    [['iterate', 'init', 'task'], 'claude-iterate/workspaces/task'],
    [['converse', 'init', 'talk'], 'talk/config/workflow.yaml'],
    [['queue', 'put', 'qa', '--file', 'task.md'], 'inbox/qa'],
  ])('every kind of command takes it: %j', async (argv, made) => {
    const workspace = new Workspace({ 'a/task.md': 'do it' });
    const { exitCode, stderr } = await workspace.run(['-C', 'a', ...argv]);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    expect(workspace.has(`a/${made}`)).toBe(true);
    expect(workspace.list('.').filter((name) => !/^(a|\.config)(\/|$)/.test(name))).toEqual([]);
  });

  test('`claude-iterate` takes it too', async () => {
    const workspace = new Workspace({ 'a/x': '' });
    const binary = path.join(path.dirname(BINARY), 'claude-iterate.js');
    expect(await workspace.run(['init', 'task', '-C', 'a'], { binary })).toMatchObject({ exitCode: 0 });
    expect(workspace.has('a/claude-iterate/workspaces/task')).toBe(true);
  });

  test('a hook answers for the folder of `-C`, whatever project the agent names', async () => {
    const workspace = new Workspace({ 'a/x': '', 'b/x': '' });
    for (const folder of ['a', 'b'])
      await workspace.run(['-C', folder, 'phases', 'create', `Task ${folder}`, '--phase', 'One']);
    const hook = (argv: readonly string[]) =>
      workspace.run(argv, {
        input: JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1', cwd: workspace.folder }),
        env: { CLAUDE_PROJECT_DIR: path.join(workspace.folder, 'b') },
      });
    for (const argv of [
      ['hook', 'session-start', '-C', 'a'],
      ['-C', 'b', '-C../a', 'hook', 'session-start'],
    ])
      expect(await hook(argv)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Task a') });
    expect(await hook(['hook', 'session-start'])).toMatchObject({
      stdout: expect.stringContaining('Task b'),
    });
    // A hook never stops the agent.
    expect(await hook(['-C', 'none', 'hook', 'session-start'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('from a subfolder', () => {
  test('the workspace above is used, and said; files are relative to the current folder', async () => {
    const workspace = project();
    const ended = await workspace.run(['run', 'where.yaml', '-v'], inside('workflows'));
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toMatch(new RegExp(`^workspace: ${workspace.folder}\n`));
    expect(workspace.step('Pwd').output).toBe(`${workspace.folder}\n`);
    expect(workspace.state()['workflow_file']).toBe('workflows/where.yaml');
    expect(await workspace.run(['runs'], inside('src/deep'))).toMatchObject({
      stdout: expect.stringContaining(workspace.runs()[0] ?? '?'),
      stderr: `workspace: ${workspace.folder}\n`,
    });
    expect(await workspace.run(['run', '-q', 'where.yaml'], inside('workflows'))).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('every file that a command is given is relative to the current folder', async () => {
    const workspace = project({
      'src/c.json': '{"who": "me"}',
      'src/task.md': 'do it',
      'src/w.yaml':
        'name: W\ncontext: {who: you}\nsteps:\n  - {name: Say, command: [echo, "${context.who}"]}\n  - {name: Mark, command: [mkdir, -p, processed]}\n',
    });
    const there = inside('src');
    const run = async (...argv: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await workspace.run(argv, there);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, expect.any(String)]);
      return stdout;
    };
    await run('run', 'w.yaml', '--context-file', 'c.json', '--archive-processed', 'done.zip');
    expect(workspace.step('Say').output).toBe('me\n');
    expect(workspace.has('src/done.zip')).toBe(true);
    await run('run-step', 'Say', '--workflow', 'w.yaml');
    await run('validate', 'w.yaml', '../workflows/where.yaml');
    await run('report', 'last', '-o', 'report.md');
    expect(workspace.has('src/report.md')).toBe(true);
    await run('queue', 'put', 'qa', '--file', 'task.md', '--workflow', 'w.yaml');
    const task = (await run('queue', 'take', 'qa')).trim();
    await run('queue', 'done', task);
    await run('status', 'write', '--agent', 'qa', '--step', 'S', '--success', 'true', '--output', 'w.yaml');
    expect(JSON.parse(workspace.read('artifacts/qa/status.json')).outputs).toEqual(['src/w.yaml']);
    await run('status', 'validate', '../artifacts/qa/status.json');
    await run('session', 'start', 'Work');
    await run('task', 'create', '--title', 'T', '--focus', 'w.yaml');
    expect(JSON.parse(await run('task', 'show', 'IMPL-1')).context.focus_paths).toEqual(['src/w.yaml']);
    await run('converse', 'init', 'talk', '--template', 'mock');
    expect(workspace.has('src/talk/config/workflow.yaml')).toBe(true);
    await run('converse', 'run', 'talk');
    await run('iterate', '--workspaces-dir', 'loops', 'init', 'task');
    expect(workspace.has('src/loops/task')).toBe(true);
  });

  test.each([
    ['.workflow', ['session', 'start', 'Work'], ['session', 'list']],
    ['.claude/state', ['phases', 'create', 'Work', '--phase', 'One'], ['phases', 'show']],
    ['claude-iterate', ['iterate', 'init', 'task'], ['iterate', 'show', 'task']],
  ])('a project that has only `%s` is found by its own commands', async (mark, create, read) => {
    const workspace = new Workspace({ 'src/x': '' });
    expect(await workspace.run(create, inside('.'))).toMatchObject({ exitCode: 0 });
    expect([workspace.has(mark), workspace.has('.orchestrate')]).toEqual([true, false]);
    expect(await workspace.run(read, inside('src'))).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`workspace: ${workspace.folder}\n`),
    });
  });

  test('a first run, and `init`, make a workspace of the current folder', async () => {
    const outer = new Workspace({ 'sub/w.yaml': WHERE });
    expect(await outer.run(['run', 'w.yaml'], inside('sub'))).toMatchObject({ exitCode: 0 });
    expect([outer.has('.orchestrate'), outer.has('sub/.orchestrate')]).toEqual([false, true]);
    const inner = project({ 'sub/x': '' });
    expect(await inner.run(['init'], inside('sub'))).toMatchObject({ exitCode: 0 });
    const ended = await inner.run(['run', 'workflows/hello.yaml', '-q'], inside('sub'));
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(inner.list('sub/.orchestrate/runs')).not.toEqual([]);
    expect(inner.runs()).toEqual([]);
  });

  test('the demo runs in its own folder even inside a workspace', async () => {
    const workspace = project();
    expect(await workspace.run(['demo', '--dir', 'show'], inside('src'))).toMatchObject({ exitCode: 0 });
    expect([workspace.runs(), workspace.list('src/show/.orchestrate/runs').length > 0]).toEqual([[], true]);
  });

  test('the home folder is used only from itself, and nothing above it', async () => {
    const workspace = project({ 'home/.orchestrate/x': '', 'home/p/q/w.yaml': WHERE });
    const home = path.join(workspace.folder, 'home');
    const at = (folder: string) => workspace.run(['runs'], { in: folder, env: { HOME: home } });
    expect(await at('home/p/q')).toMatchObject({ stderr: expect.not.stringContaining('workspace:') });
    expect(await at('home')).toMatchObject({ stderr: expect.not.stringContaining('workspace:') });
    workspace.remove('home/.orchestrate');
    expect(await at('home')).toMatchObject({ stderr: expect.not.stringContaining('workspace:') });
    expect(await at('home/p')).toMatchObject({ stderr: expect.not.stringContaining('workspace:') });
  });

  test('a shared folder and a linked `.orchestrate` are not taken from below', () => {
    const folder = temporaryFolder();
    const search = { marks: ['.orchestrate'], home: () => '/', user: process.geteuid?.() };
    const from = (at: string) => findWorkspace({ ...search, folder: path.join(folder, at) });
    fs.mkdirSync(path.join(folder, 'shared/sub'), { recursive: true });
    fs.mkdirSync(path.join(folder, 'shared/.orchestrate'));
    expect(from('shared/sub')).toEqual({ workspace: path.join(folder, 'shared') });
    fs.chmodSync(path.join(folder, 'shared'), 0o1777);
    expect(from('shared/sub')).toEqual({ workspace: path.join(folder, 'shared/sub') });
    fs.mkdirSync(path.join(folder, 'linked/sub'), { recursive: true });
    fs.symlinkSync(path.join(folder, 'shared/.orchestrate'), path.join(folder, 'linked/.orchestrate'));
    expect(from('linked/sub')).toEqual({ workspace: path.join(folder, 'linked/sub') });
  });

  test.skipIf(!isRoot)('a folder of another user is not taken, and said', async () => {
    const workspace = project({ 'src/w.yaml': WHERE });
    for (const name of ['', '.orchestrate']) {
      fs.chownSync(path.join(workspace.folder, name), 12_345, 12_345);
      const ended = await workspace.run(['runs'], inside('src'));
      expect(ended.stderr).toBe(
        `note: ${workspace.folder} belongs to another user and is not used; use \`-C ${workspace.folder}\` to work there\nno runs in this folder yet\n`,
      );
      fs.chownSync(path.join(workspace.folder, name), 0, 0);
    }
    expect(await workspace.run(['runs'], inside('src'))).toMatchObject({
      stderr: expect.stringContaining(`workspace: ${workspace.folder}\n`),
    });
  });

  const canMount =
    isRoot && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0;
  test.skipIf(!canMount)('the search does not leave the file system', async () => {
    const workspace = project();
    const via = [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs x src && mkdir src/in && cd src/in && exec "$@"',
      'sh',
    ];
    const ended = await workspace.run(['runs'], { via, env: { HOME: temporaryFolder() } });
    expect(ended).toMatchObject({ stderr: expect.not.stringContaining('workspace:') });
  });
});
