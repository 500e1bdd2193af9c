import { describe, expect, it } from 'vitest';
import { commandTask, SessionWorkspace } from './rig.ts';

/** In a worktree: its own folder is four levels below `.orchestrate`. */
const STARTED = '../../../../started';

/** IMPL-2 is blocked by a conflict with IMPL-1 in `shared.txt`; IMPL-3 depends on it. */
async function conflicting(): Promise<{ workspace: SessionWorkspace; branch: string; stderr: string }> {
  const workspace = new SessionWorkspace({
    'shared.txt': 'base\n',
    '.gitignore': '.orchestrate\n.workflow\n',
  });
  workspace.initGit();
  await workspace.begin([
    commandTask('IMPL-1', `until test -e ${STARTED}; do sleep 0.05; done; echo one > shared.txt`, {
      context: { focus_paths: ['a'] },
    }),
    commandTask(
      'IMPL-2',
      `touch ${STARTED}; until grep -q one ../../../../../shared.txt; do sleep 0.05; done; echo two > shared.txt; echo new > two.txt`,
      { context: { focus_paths: ['b'] } },
    ),
    commandTask('IMPL-3', 'cat shared.txt > three.txt', { context: { depends_on: ['IMPL-2'] } }),
  ]);
  const ended = await workspace.run([
    ...['execute', '--worktree', '--max-parallel', '2', '--on-failure', 'continue'],
  ]);
  expect(ended.exitCode).toBe(1);
  return { workspace, branch: `orchestrate/${workspace.runs()[0]}/IMPL-2`, stderr: ended.stderr };
}

describe('the work of a task that conflicts', () => {
  it('is named with both commands, and stays as it is when it conflicts again', async () => {
    const { workspace, branch, stderr } = await conflicting();
    expect(stderr).toContain(
      'help: the work of IMPL-2 is not merged. Merge it with: orchestrate task merge IMPL-2\n' +
        '      or remove it with: orchestrate task discard IMPL-2\n',
    );
    const again = await workspace.run(['task', 'merge', 'IMPL-2']);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain(
      `cannot merge \`IMPL-2\`: merge conflict in \`shared.txt\`; the work is kept on branch \`${branch}\``,
    );
    expect(again.stderr).toContain(
      `help: stash your uncommitted changes to these files, if any; if it still conflicts, merge your branch into \`${branch}\` and resolve it there. Then use \`orchestrate task merge IMPL-2\` again, or \`orchestrate task discard IMPL-2\` to remove the work\n`,
    );
    expect(workspace.read('shared.txt')).toBe('one\n');
    expect(workspace.has('two.txt')).toBe(false);
    expect(workspace.git('show', `${branch}:two.txt`)).toBe('new\n');
    expect(workspace.task('IMPL-2')['status']).toBe('blocked');
  });

  it('is merged as one commit once the conflict is gone; then its dependents can start', async () => {
    const { workspace } = await conflicting();
    workspace.write({ 'shared.txt': 'base\n' });
    workspace.git('commit', '-qam', 'back');
    workspace.write({ 'own.txt': 'not committed\n' });
    expect((await workspace.ok(['task', 'merge', 'IMPL-2'])).stderr).toBe(
      'merged shared.txt, two.txt\n`IMPL-2` is completed\n',
    );
    expect(workspace.read('shared.txt')).toBe('two\n');
    expect(workspace.git('log', '-1', '--format=%s')).toBe('IMPL-2: Do IMPL-2\n');
    expect(workspace.git('status', '--porcelain')).toBe('?? own.txt\n');
    expect(workspace.git('for-each-ref', '--format=%(refname)', '**/orchestrate/**')).toBe('');
    const task = workspace.task('IMPL-2');
    expect(task).toMatchObject({
      status: 'completed',
      summary: { commit: workspace.git('rev-parse', 'HEAD').trim() },
    });
    expect(task['execution']).not.toHaveProperty('kept_branch');
    const repeated = await workspace.run(['task', 'merge', 'IMPL-2']);
    expect(repeated.exitCode).toBe(2);
    expect(repeated.stderr).toContain('`IMPL-2` has no work that is not merged');
    await workspace.ok(['execute']);
    expect(workspace.read('three.txt')).toBe('two\n');
  });

  it('is merged as its branch has it, if the conflict was resolved there', async () => {
    const { workspace, branch } = await conflicting();
    const main = workspace.git('branch', '--show-current').trim();
    workspace.git('checkout', '-q', branch);
    workspace.git('merge', '-q', '-s', 'ours', main);
    workspace.write({ 'shared.txt': 'one and two\n' });
    workspace.git('commit', '-qam', 'resolved');
    const on = await workspace.run(['task', 'merge', 'IMPL-2']);
    expect(on.exitCode).toBe(2);
    expect(on.stderr).toContain(`branch \`${branch}\` is checked out in`);
    workspace.git('checkout', '-q', main);
    await workspace.ok(['task', 'merge', 'IMPL-2']);
    expect(workspace.read('shared.txt')).toBe('one and two\n');
    expect(workspace.read('two.txt')).toBe('new\n');
  });

  it('is discarded only after asking or with --force, and the task is done again', async () => {
    const { workspace, branch } = await conflicting();
    const refused = await workspace.run(['task', 'discard', 'IMPL-2']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Nothing was removed: cannot ask, not a terminal.');
    expect(workspace.git('branch', '--list', branch)).not.toBe('');
    expect((await workspace.ok(['task', 'discard', 'IMPL-2', '--force'])).stderr).toBe(
      `removed branch \`${branch}\`; \`IMPL-2\` is pending\n`,
    );
    expect(workspace.git('for-each-ref', '--format=%(refname)', '**/orchestrate/**')).toBe('');
    expect(workspace.read('shared.txt')).toBe('one\n');
    await workspace.ok(['execute', '--worktree']);
    expect(workspace.read('shared.txt')).toBe('two\n');
    expect(workspace.task('IMPL-3')['status']).toBe('completed');
  });

  it('is not taken for merged by a resumed run after it was discarded', async () => {
    const { workspace } = await conflicting();
    await workspace.ok(['task', 'discard', 'IMPL-2', '--force']);
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed.exitCode).toBe(1);
    expect(workspace.task('IMPL-2')).toMatchObject({
      status: 'blocked',
      execution: { last_error: expect.stringContaining('the work of `IMPL-2` was discarded') },
    });
  });
});

describe('other work that is not merged', () => {
  it('rejected in review, it can still be merged; while the review is open it cannot', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([commandTask('IMPL-1', 'echo one > one.txt')]);
    await workspace.run(['execute', '--review']);
    const early = await workspace.run(['task', 'merge', 'IMPL-1']);
    expect(early.exitCode).toBe(2);
    expect(early.stderr).toMatch(/run `[^`]+` has not finished `IMPL-1`/);
    await workspace.ok(['task', 'review', 'IMPL-1', 'reject']);
    await workspace.run(['execute']);
    expect(workspace.task('IMPL-1')['status']).toBe('blocked');
    await workspace.ok(['task', 'merge', 'IMPL-1']);
    expect(workspace.read('one.txt')).toBe('one\n');
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', summary: {} });
  });

  it('of a failed task is merged, and the task stays blocked', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([commandTask('IMPL-1', 'echo half > half.txt; exit 3')]);
    expect((await workspace.run(['execute', '--worktree'])).exitCode).toBe(1);
    expect(workspace.has('half.txt')).toBe(false);
    expect((await workspace.ok(['task', 'merge', 'IMPL-1'])).stderr).toBe(
      'merged half.txt\n`IMPL-1` is still blocked. Complete it with: orchestrate task done IMPL-1\n',
    );
    expect(workspace.read('half.txt')).toBe('half\n');
    expect(workspace.task('IMPL-1')['status']).toBe('blocked');
  });

  it('conflicts with uncommitted changes of the user, which stay as they are, until they are stashed', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([commandTask('IMPL-1', 'echo work > a.txt; exit 3')]);
    await workspace.run(['execute', '--worktree']);
    workspace.write({ 'a.txt': 'mine\n' });
    const refused = await workspace.run(['task', 'merge', 'IMPL-1']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('conflict in `a.txt`');
    expect(workspace.read('a.txt')).toBe('mine\n');
    workspace.git('stash', '-q');
    await workspace.ok(['task', 'merge', 'IMPL-1']);
    expect(workspace.read('a.txt')).toBe('work\n');
  });

  it('does not exist for a task that never ran', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([commandTask('IMPL-1', 'true')]);
    for (const command of ['merge', 'discard']) {
      const refused = await workspace.run(['task', command, 'IMPL-1']);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain('`IMPL-1` has no work that is not merged');
    }
  });
});
