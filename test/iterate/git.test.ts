/** Checkpoints, branches and worktrees of loops; `diff` and `rollback`. A person's uncommitted work is never lost. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK, type Turn } from './rig.ts';

async function inRepository(files: { readonly [path: string]: string } = {}): Promise<Project> {
  const project = new Project({ 'list.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n', ...files });
  project.repository();
  await project.task();
  return project;
}

/** The agent's status is in the workspace, wherever the agent works. */
function turn(project: Project, number: number, files: { readonly [path: string]: string }, total = 3): Turn {
  const progress = { completed: number, total };
  return {
    files: {
      ...files,
      [path.join(project.folder, TASK, '.status.json')]: {
        complete: number === total,
        progress,
        summary: `Write item ${number}`,
      },
      [path.join(project.folder, TASK, 'TODO.md')]: `# TODO\n${'- [x] item\n'.repeat(number)}`,
    },
  };
}

const titles = (project: Project, branch = 'HEAD'): readonly string[] =>
  project.git('log', '--format=%s', branch).trim().split('\n');

describe('--checkpoint', () => {
  it('makes one commit per iteration, titled by its summary, and leaves the own changes of a person alone', async () => {
    const project = await inRepository();
    project.write({ 'list.txt': 'mine\ntwo\nthree\nfour\nfive\nsix\nseven\n', 'draft.txt': 'draft\n' });
    project.git('add', 'draft.txt');
    project.agent({
      calls: [
        turn(project, 1, { 'one.txt': '1\n', 'list.txt': 'mine\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n' }),
        turn(project, 2, {}),
        turn(project, 3, { 'three.txt': '3\n' }),
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--checkpoint']);
    expect(ended.stderr).not.toContain('uncommitted');
    expect(ended.exitCode).toBe(0);
    expect(titles(project)).toEqual(['Write item 3', 'Write item 1', 'start']);
    expect(project.git('show', '--format=%b', '--name-only', 'HEAD~1')).toBe(
      'Iteration 1 of task\n\n\nlist.txt\none.txt\n',
    );
    expect(project.git('show', 'HEAD:list.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    expect(project.git('status', '--porcelain')).toBe('A  draft.txt\n M list.txt\n');
    expect(project.read('list.txt')).toBe('mine\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
  });

  it('commits on the branch that --branch names', async () => {
    const project = await inRepository();
    project.agent({ calls: [turn(project, 1, { 'one.txt': '1\n' }, 1)] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--branch', 'night/task']);
    expect(ended.exitCode).toBe(0);
    expect(titles(project, 'night/task')).toEqual(['Write item 1', 'start']);
    expect(titles(project, 'main')).toEqual(['start']);
    const bad = await project.iterate(['run', 'task', '--branch', 'a..b']);
    expect(bad.stderr).toBe('error: `a..b` is not a valid name of a branch\n');
  });

  it('needs a repository', async () => {
    const project = new Project();
    await project.task();
    project.agent({});
    const ended = await project.iterate(['run', 'task', '--checkpoint']);
    expect(ended.stderr).toBe(
      'error: `git.checkpoint` needs a git repository\nhelp: create one with `git init`\n',
    );
    expect(project.calls()).toEqual([]);
  });
});

describe('diff and rollback', () => {
  async function afterThree(flags: readonly string[]): Promise<Project> {
    const project = await inRepository();
    project.agent({
      calls: [
        turn(project, 1, { 'one.txt': '1\n' }),
        turn(project, 2, { 'two.txt': '2\n', 'list.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n' }),
        turn(project, 3, { 'three.txt': '3\n', 'one.txt': 'changed\n' }),
      ],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, ...flags]);
    expect(ended.exitCode).toBe(0);
    return project;
  }

  it('show and undo iterations, with their commits, and keep what a person has changed since', async () => {
    const project = await afterThree(['--checkpoint']);
    const second = await project.iterate(['diff', 'task', '2']);
    expect(second.stdout).toContain('+++ b/two.txt\n');
    expect(second.stdout).toContain('-seven\n+SEVEN\n');
    expect(second.stdout).not.toContain('one.txt');
    const all = await project.iterate(['diff', 'task']);
    for (const file of ['one.txt', 'two.txt', 'three.txt']) expect(all.stdout).toContain(`+++ b/${file}\n`);

    project.write({ 'list.txt': 'MINE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n', 'own.txt': 'own\n' });
    const back = await project.iterate(['rollback', 'task', '1']);
    expect(back.stderr).toBe('');
    expect(back.stdout).toMatch(
      /^✓ task is back at the end of iteration 1 \(4 files changed, commit [0-9a-f]{10}\)\n$/,
    );
    expect(project.read('one.txt')).toBe('1\n');
    expect(project.has('two.txt')).toBe(false);
    expect(project.has('three.txt')).toBe(false);
    expect(project.read('list.txt')).toBe('MINE\ntwo\nthree\nfour\nfive\nsix\nseven\n');
    expect(project.read('own.txt')).toBe('own\n');
    expect(titles(project)[0]).toBe('Roll back task to iteration 1');
    expect(project.git('status', '--porcelain')).toBe(' M list.txt\n?? own.txt\n');
    expect(JSON.parse(project.read(`${TASK}/.status.json`))).toMatchObject({
      complete: false,
      progress: { completed: 1 },
    });
    expect(project.read(`${TASK}/TODO.md`)).toBe('# TODO\n- [x] item\n');

    // Back and forth, as often as wanted.
    expect(project.metadata()).toMatchObject({ status: 'in_progress' });
    expect(project.metadata().stopReason).toBeUndefined();
    await project.iterate(['rollback', 'task', '3']);
    expect(project.read('one.txt')).toBe('changed\n');
    expect(project.read('list.txt')).toBe('MINE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    expect(project.metadata()).toMatchObject({ status: 'completed', stopReason: 'complete' });
    await project.iterate(['rollback', 'task', '0']);
    expect(project.has('one.txt')).toBe(false);
    expect(project.read('own.txt')).toBe('own\n');
    expect(project.has(`${TASK}/.status.json`)).toBe(false);
    expect(project.read(`${TASK}/TODO.md`)).toBe('# TODO\n');
  });

  it('finishes a rollback that was killed, wherever that was, before anything else is done', {
    timeout: 300_000,
  }, async () => {
    const project = await afterThree(['--checkpoint']);
    project.write({ 'list.txt': 'MINE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n', 'own.txt': 'own\n' });
    const watched = ['one.txt', 'two.txt', 'three.txt', 'list.txt', 'own.txt'];
    const documents = [`${TASK}/.status.json`, `${TASK}/TODO.md`];
    const seen = (): object => ({
      files: [...watched, ...documents].map((file) => (project.has(file) ? project.read(file) : undefined)),
      changes: project.git('status', '--porcelain'),
      tree: project.git('rev-parse', 'HEAD^{tree}'),
      status: project.metadata().status,
    });
    const after = seen();
    await project.iterate(['rollback', 'task', '1']);
    const back = seen();
    await project.iterate(['rollback', 'task', '3']);
    expect(seen()).toEqual(after);
    let refusals = 0;
    // All changes that others can see: a file appears complete, by one of these.
    for (const kind of ['rename', 'link']) {
      for (let number = 1; ; number += 1) {
        const killed = await project.iterate(['rollback', 'task', '1'], {
          env: killAt({ when: 'before', kind, number }),
        });
        if (killed.signal === null) {
          expect(number).toBeGreaterThan(4);
          break;
        }
        const run = await project.iterate(['queue', 'add', 'task']);
        if (run.exitCode === 0) await project.iterate(['queue', 'remove', 'task']);
        else {
          refusals += 1;
          expect(run.stderr).toBe(
            'error: the rollback of `task` to iteration 1 has not finished\nhelp: finish it: claude-iterate rollback task 1\n',
          );
        }
        // Whatever is asked for next, what was begun is finished first.
        if (number % 2 === 0) {
          await project.iterate(['rollback', 'task', '1']);
          expect(seen(), `killed at ${kind} ${number}`).toEqual(back);
        }
        await project.iterate(['rollback', 'task', '3']);
        expect(seen(), `back after ${kind} ${number}`).toEqual(after);
      }
      await project.iterate(['rollback', 'task', '3']);
    }
    expect(refusals).toBeGreaterThan(5);
  });

  it('work without checkpoints too, and change only files then', async () => {
    const project = await afterThree([]);
    const back = await project.iterate(['rollback', 'task', '2']);
    expect(back.stdout).toBe('✓ task is back at the end of iteration 2 (2 files changed)\n');
    expect(project.read('one.txt')).toBe('1\n');
    expect(titles(project)).toEqual(['start']);
  });

  it('change nothing where a person has changed the same lines, and refuse a running loop', async () => {
    const project = await afterThree(['--checkpoint']);
    project.write({ 'one.txt': 'mine\n' });
    const refused = await project.iterate(['rollback', 'task', '1']);
    expect(refused.stderr).toContain(
      'error: cannot roll back: these files were changed since, in the same lines: one.txt\n',
    );
    expect(refused.exitCode).toBe(1);
    expect(project.read('one.txt')).toBe('mine\n');
    expect(project.has('two.txt')).toBe(true);
    const unknown = await project.iterate(['rollback', 'task', '9']);
    expect(unknown.stderr).toBe('error: iteration 9 is not recorded; the last one is 3\n');
    project.agent({ calls: [{ waitFor: 'go' }] });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '-m', '1']);
    await until(() => project.calls().length === 1);
    const running = await project.iterate(['rollback', 'task', '1']);
    expect(running.stderr).toContain('error: Workspace is already running: task');
    project.allow('go');
    await started.ended;
  });
});

describe('--worktree', () => {
  it('works in a folder of its own, and brings the work back when the loop ends', async () => {
    const project = await inRepository();
    project.write({ 'draft.txt': 'draft\n' });
    project.agent({
      calls: [
        turn(project, 1, { 'one.txt': '1\n' }),
        turn(project, 2, { 'two.txt': '2\n' }),
        turn(project, 3, {}),
      ],
    });
    const ended = await project.iterate([
      'run',
      'task',
      ...NO_VERIFY,
      '--worktree',
      '--check',
      'test -f draft.txt',
    ]);
    expect(ended.stdout).toContain('  Brought into the workspace: 2 files\n');
    expect(ended.exitCode).toBe(0);
    for (const { cwd, prompt, argv } of project.calls()) {
      expect(cwd).toContain('/worktrees/loop-');
      expect(prompt).toContain(`${project.folder}/${TASK}/.status.json`);
      expect(argv.join(' ')).toContain(`The project is in ${cwd}.`);
      expect(argv).toContain(`--add-dir=${project.folder}/${TASK}`);
    }
    expect([project.read('one.txt'), project.read('two.txt')]).toEqual(['1\n', '2\n']);
    expect(project.git('status', '--porcelain')).toBe('?? draft.txt\n?? one.txt\n?? two.txt\n');
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(project.git('branch', '--list').trim()).toBe('* main');
  });

  it('with a branch leaves the commits there, without uncommitted changes of the workspace', async () => {
    const project = await inRepository();
    project.write({ 'draft.txt': 'draft\n' });
    project.agent({
      calls: [turn(project, 1, { 'one.txt': '1\n' }, 2), turn(project, 2, { 'two.txt': '2\n' }, 2)],
    });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--worktree', '--branch', 'night']);
    expect(ended.stdout).toContain('  The work is on branch night\n');
    expect((await project.iterate(['report', 'task'])).stdout).toContain(
      '\n| Work | The work is on branch night |\n',
    );
    expect(titles(project, 'night')).toEqual(['Write item 2', 'Write item 1', 'start']);
    expect(project.has('one.txt')).toBe(false);
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('keeps the work on its branch when it conflicts, or when the loop fails', async () => {
    const project = await inRepository();
    project.agent({
      calls: [turn(project, 1, { 'list.txt': 'theirs\n' }, 1)].map((each) => ({ ...each, waitFor: 'go' })),
    });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '--worktree']);
    await until(() => project.calls().length === 1);
    project.write({ 'list.txt': 'mine\n' });
    project.allow('go');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/conflict/);
    expect(project.read('list.txt')).toBe('mine\n');
    const branch = /orchestrate\/\S+?\/loop/.exec(ended.stderr + ended.stdout)?.[0] ?? '';
    expect(project.git('show', `${branch}:list.txt`)).toBe('theirs\n');
  });

  it('is resumed after a kill, with its work', async () => {
    const project = await inRepository();
    project.agent({
      calls: [
        turn(project, 1, { 'one.txt': '1\n' }, 2),
        { hang: true },
        turn(project, 2, { 'two.txt': '2\n' }, 2),
      ],
    });
    const started = project.begin(['run', 'task', ...NO_VERIFY, '--worktree', '--checkpoint']);
    await until(() => project.calls().length === 2);
    started.child.kill('SIGKILL');
    await started.ended;
    const ended = await project.iterate(['run', 'task']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(
      /Brought into the workspace: 2 files; its iterations are on branch orchestrate\/\S+\/loop\n/,
    );
    expect([project.read('one.txt'), project.read('two.txt')]).toEqual(['1\n', '2\n']);
    expect(titles(project)).toEqual(['task: Write item 2', 'start']);
    expect(fs.existsSync(project.calls()[0]?.cwd ?? '')).toBe(false);
  });
});

describe('a check whose program does not exist', () => {
  it('is reported before the first iteration', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const missing = await project.iterate(['run', 'task', '--check', 'no-such-program --all']);
    expect(missing.stderr).toContain(
      'error: the check `no-such-program --all` cannot be run: `no-such-program` is not in PATH\n',
    );
    expect(missing.exitCode).toBe(1);
    expect(project.calls()).toEqual([]);
    const later = await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '1', '--check', './test.sh']);
    expect(later.stderr).toContain(
      'warning: the check `./test.sh` cannot be run yet: `./test.sh` does not exist\n',
    );
  });
});
