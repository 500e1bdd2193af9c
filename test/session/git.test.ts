import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandTask, type Json, SessionWorkspace, task } from './rig.ts';

function filesOf(workspace: SessionWorkspace, id: string): unknown {
  return (workspace.task(id)['summary'] as Json)['files_modified'];
}

describe('the files a task changed', () => {
  it('are checked against version control, even in a tree with earlier changes', async () => {
    const workspace = new SessionWorkspace({
      'src/a.txt': 'one\n',
      'src/b.txt': 'one\n',
      'dirty.txt': 'one\n',
    });
    workspace.initGit();
    workspace.write({ 'dirty.txt': 'two\n', 'src/a.txt': 'two\n', 'staged.txt': 'new\n' });
    workspace.git('add', 'staged.txt');
    await workspace.begin([task('IMPL-1')]);
    const env = workspace.standInClaude(`
      fs.appendFileSync('src/a.txt', 'three');
      fs.rmSync('src/b.txt');
      fs.writeFileSync('new file.txt', 'x');
      return { files_modified: [
        { path: './src/a.txt', description: 'more' },
        { path: 'dirty.txt', description: 'claimed' },
      ] };`);
    await workspace.ok(['execute', '--with-commit'], { env });
    expect(filesOf(workspace, 'IMPL-1')).toEqual([
      { path: 'src/a.txt', description: 'more', evidence: 'changed' },
      { path: 'dirty.txt', description: 'claimed', evidence: 'unchanged' },
      { path: 'new file.txt', description: '', evidence: 'unmentioned' },
      { path: 'src/b.txt', description: '', evidence: 'unmentioned' },
    ]);
    expect(workspace.git('show', '--name-status', '--format=%s', 'HEAD')).toBe(
      'IMPL-1: Do IMPL-1\n\nA\tnew file.txt\nD\tsrc/b.txt\n',
    );
    // The user's staged and unstaged changes are untouched, and so is what the task did in the middle of them.
    expect(workspace.git('status', '--porcelain')).toBe(' M dirty.txt\n M src/a.txt\nA  staged.txt\n');
    expect(workspace.task('IMPL-1')['summary']).toMatchObject({ uncommitted: ['src/a.txt'] });
    expect((workspace.task('IMPL-1')['summary'] as Json)['commit']).toBe(
      workspace.git('rev-parse', 'HEAD').trim(),
    );
  });

  it('are only claimed without version control', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    const env = workspace.standInClaude(`return { files_modified: [{ path: 'a', description: 'b' }] };`);
    await workspace.ok(['execute'], { env: { ...env, GIT_CEILING_DIRECTORIES: workspace.folder } });
    expect(filesOf(workspace, 'IMPL-1')).toEqual([{ path: 'a', description: 'b', evidence: 'unknown' }]);
  });
});

describe('an agent', () => {
  it('whose answer has the wrong form is asked again once', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    const env = workspace.standInClaude(
      `return prompt.includes('What was wrong with the last attempt') ? {} : { raw: { approach: 'only this' } };`,
    );
    await workspace.ok(['execute'], { env });
    expect(workspace.prompts()).toHaveLength(2);
    expect(workspace.prompts()[1]?.prompt).toContain('answer rejected by its schema');
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { cost_usd: 0.02 } });
  });

  it('that fails is retried once, then the task is blocked', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    const env = workspace.standInClaude('process.exit(9);');
    const ended = await workspace.run(['execute'], { env });
    expect(ended.exitCode).toBe(1);
    expect(workspace.prompts()).toHaveLength(2);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'blocked' });
  });

  it('whose work is rejected gets the reason and another attempt', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        context: { acceptance: ['command: cat made || { echo no such thing >&2; exit 7; }', 'looks good'] },
      }),
    ]);
    const env = workspace.standInClaude(
      `if (prompt.includes('no such thing') && prompt.includes('exited with 7')) fs.writeFileSync('made', 'x'); return {};`,
    );
    await workspace.ok(['execute'], { env });
    expect(workspace.prompts()).toHaveLength(2);
    expect((workspace.task('IMPL-1')['summary'] as Json)['verification']).toEqual([
      {
        check: 'cat made || { echo no such thing >&2; exit 7; }',
        method: 'run by the program, exit code 0',
        proven: true,
      },
      { check: 'looks good', method: 'acceptance, claimed by the agent', proven: false },
    ]);
  });
});

describe('worktrees', () => {
  it('isolate tasks that run in parallel, and are merged as soon as they end', async () => {
    const workspace = new SessionWorkspace({ 'src/base.txt': 'base\n' });
    workspace.initGit();
    const wait = (file: string) => `while ! test -e ../${file}; do sleep 0.02; done`;
    await workspace.begin([
      commandTask('IMPL-1', `touch ../one; ${wait('two')}; echo 1 > src/one.txt`, {
        context: { focus_paths: ['src/one.txt'] },
      }),
      commandTask('IMPL-2', `touch ../two; ${wait('one')}; echo 2 > src/two.txt; test ! -e src/one.txt`, {
        context: { focus_paths: ['src/two.txt'] },
      }),
      commandTask('IMPL-3', 'cat src/one.txt src/two.txt > src/three.txt', {
        context: { depends_on: ['IMPL-1', 'IMPL-2'] },
      }),
    ]);
    await workspace.ok(['execute', '--worktree', '--max-parallel', '2']);
    expect(workspace.read('src/three.txt')).toBe('1\n2\n');
    expect(workspace.git('log', '--format=%s', '--first-parent', '--reverse')).toMatch(
      /^begin\n(?:IMPL-1: Do IMPL-1\nIMPL-2: Do IMPL-2|IMPL-2: Do IMPL-2\nIMPL-1: Do IMPL-1)\nIMPL-3: Do IMPL-3\n$/,
    );
    expect(workspace.git('branch', '--list', 'orchestrate/*')).toBe('');
    expect(workspace.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(['IMPL-1', 'IMPL-2', 'IMPL-3'].map((id) => workspace.task(id)['status'])).toEqual(
      Array.from({ length: 3 }, () => 'completed'),
    );
    expect(workspace.git('status', '--porcelain')).toBe('');
  });

  it('of many tasks are created and merged at the same time', async () => {
    const workspace = new SessionWorkspace();
    workspace.initGit();
    const ids = Array.from({ length: 8 }, (_, index) => `IMPL-${index + 1}`);
    await workspace.begin(
      ids.map((id) => commandTask(id, `echo ${id} > ${id}.txt`, { context: { focus_paths: [`${id}.txt`] } })),
    );
    await workspace.ok(['execute', '--worktree', '--max-parallel', '8']);
    expect(ids.map((id) => workspace.read(`${id}.txt`))).toEqual(ids.map((id) => `${id}\n`));
    expect(workspace.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(workspace.git('status', '--porcelain')).toBe('');
  });

  it('a conflict blocks the later task, names the files and keeps its work', async () => {
    const workspace = new SessionWorkspace({ 'shared.txt': 'base\n' });
    workspace.initGit();
    await workspace.begin([
      commandTask('IMPL-1', 'echo one > shared.txt', { context: { focus_paths: ['a'] } }),
      // It ends when the other one is merged.
      commandTask(
        'IMPL-2',
        `until grep -q one '${path.join(workspace.folder, 'shared.txt')}'; do sleep 0.02; done; echo two > shared.txt`,
        { context: { focus_paths: ['b'] } },
      ),
    ]);
    const ended = await workspace.run([
      'execute',
      '--worktree',
      '--max-parallel',
      '2',
      '--on-failure',
      'continue',
    ]);
    expect(ended.exitCode).toBe(1);
    expect(workspace.read('shared.txt')).toBe('one\n');
    const branch = `orchestrate/${workspace.runs()[0]}/IMPL-2`;
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
    expect(workspace.task('IMPL-2')).toMatchObject({
      status: 'blocked',
      execution: {
        last_error: `merge conflict in \`shared.txt\`; the work is kept on branch \`${branch}\``,
      },
    });
    expect(workspace.git('show', `${branch}:shared.txt`)).toBe('two\n');
    expect(workspace.git('status', '--porcelain')).toBe('');
  });

  it('keep the work done before a task failed, for a resumed run', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([
      task('IMPL-1', {
        flow_control: {
          implementation_approach: [
            { step: 1, command: 'echo x >> first.txt' },
            { step: 2, command: 'test -e ../../../../../fixed' },
          ],
        },
      }),
    ]);
    expect((await workspace.run(['execute', '--worktree'])).exitCode).toBe(1);
    expect(workspace.has('first.txt')).toBe(false);
    workspace.write({ fixed: '' });
    await workspace.ok(['resume', 'last']);
    expect(workspace.read('first.txt')).toBe('x\n');
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
  });

  it.each([
    ['the branch of its work is removed', 'update-ref -d'],
    ['its work is merged', 'update-ref -m'],
  ])(
    'a task has the commit of its work also when the program is killed right after %s',
    async (_, command) => {
      const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
      workspace.initGit();
      const tasks = ['IMPL-1', 'IMPL-2'].map((id) =>
        commandTask(id, `echo ${id} > ${id}.txt`, { context: { focus_paths: [`${id}.txt`] } }),
      );
      await workspace.begin(tasks);
      const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
      const env = workspace.standIn(
        'git',
        `#!/bin/sh
"${real}" "$@" || exit
case "$*" in
*" ${command} "*) [ -e "$HOME/.killed" ] || { touch "$HOME/.killed"; kill -9 $PPID; } ;;
esac
`,
      );
      const ended = await workspace.run(['execute', '--worktree', '--max-parallel', '2'], { env });
      expect(ended.signal).toBe('SIGKILL');
      // The user commits before the run is resumed.
      workspace.write({ 'later.txt': '' });
      workspace.git('add', 'later.txt');
      workspace.git('commit', '-q', '-m', 'later');
      await workspace.ok(['resume', 'last']);
      for (const id of ['IMPL-1', 'IMPL-2']) {
        const { commit } = workspace.task(id)['summary'] as { readonly commit?: string };
        expect(workspace.git('log', '-1', '--format=%s', String(commit))).toBe(`${id}: Do ${id}\n`);
        expect(workspace.task(id)['status']).toBe('completed');
      }
      expect(workspace.git('branch', '--list', 'orchestrate/*')).toBe('');
      expect(workspace.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    },
  );

  it('need a repository', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    await workspace.begin([task('IMPL-1')]);
    const env = { GIT_CEILING_DIRECTORIES: workspace.folder };
    const ended = await workspace.run(['execute', '--worktree'], { env });
    expect(ended.stderr).toContain('`--worktree` needs a git repository');
    expect(ended.stderr).toContain('git init');
    expect(workspace.runs()).toEqual([]);
  });

  it('start with the uncommitted changes of the user, and neither commit nor lose them', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    workspace.initGit();
    workspace.write({ 'a.txt': 'mine\n', 'new.txt': 'mine\n' });
    workspace.git('add', 'a.txt');
    await workspace.begin([
      commandTask('IMPL-1', 'grep -q mine a.txt && grep -q mine new.txt && echo work > b.txt'),
    ]);
    await workspace.ok(['execute', '--worktree']);
    expect(workspace.read('b.txt')).toBe('work\n');
    expect(workspace.git('show', '--name-status', '--format=%s', 'HEAD')).toBe(
      'IMPL-1: Do IMPL-1\n\nM\tb.txt\n',
    );
    expect(workspace.git('status', '--porcelain')).toBe('M  a.txt\n?? new.txt\n');
  });
});
