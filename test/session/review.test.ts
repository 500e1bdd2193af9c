import { describe, expect, it } from 'vitest';
import { commandTask, SessionWorkspace, task } from './rig.ts';

describe('execute --review', () => {
  it('merges the work of a task only after it is accepted, and keeps a rejected one on its branch', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    const own = (id: string) => ({ context: { focus_paths: [id] } });
    await workspace.begin([
      commandTask('IMPL-1', 'echo one > one.txt', own('one.txt')),
      commandTask('IMPL-2', 'echo two > two.txt', own('two.txt')),
      commandTask('IMPL-3', 'cat one.txt > three.txt', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    const first = await workspace.run(['execute', '--review', '--max-parallel', '2']);
    expect(first.exitCode).toBe(3);
    expect([workspace.has('one.txt'), workspace.has('two.txt')]).toEqual([false, false]);
    expect(first.stderr).toContain('  IMPL-1  Do IMPL-1  waiting for review\n');
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).not.toContain('IMPL');
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(
      'question: IMPL-1: Do IMPL-1 changed `one.txt`. Show the changes with: orchestrate task diff IMPL-1\n',
    );
    expect((await workspace.ok(['task', 'diff', 'IMPL-1'])).stdout).toContain(
      '+++ b/one.txt\n@@ -0,0 +1 @@\n+one\n',
    );
    expect((await workspace.ok(['task', 'review', 'IMPL-1', 'accept'])).stderr).toBe(
      '`IMPL-1`: accepted. Continue with: orchestrate execute\n',
    );
    await workspace.ok(['task', 'review', 'IMPL-2', 'reject', '--comment', 'not like this']);
    await workspace.run(['execute']);
    expect(workspace.read('one.txt')).toBe('one\n');
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
    expect(workspace.has('two.txt')).toBe(false);
    expect(workspace.task('IMPL-2')).toMatchObject({ status: 'blocked' });
    expect(JSON.stringify(workspace.task('IMPL-2')['execution'])).toMatch(
      /rejected in review: not like this; the work is kept on branch `orchestrate\/[^`]+\/IMPL-2`/,
    );
    expect(workspace.git('branch', '--list', 'orchestrate/*')).toContain('/IMPL-2');
    expect(workspace.git('log', '--format=%s', '--first-parent', '--reverse')).toBe(
      'begin\nIMPL-1: Do IMPL-1\n',
    );
  });

  it('gives the comment of a rejection to the agent that does the task again, and to no later one', async () => {
    const workspace = new SessionWorkspace({ 'a.txt': 'a\n' });
    workspace.initGit();
    await workspace.begin([task('IMPL-1')]);
    const env = workspace.standInClaude(`fs.writeFileSync('one.txt', 'one'); return {};`);
    expect((await workspace.run(['execute', '--review', '--quiet'], { env })).exitCode).toBe(3);
    await workspace.ok(['task', 'review', 'IMPL-1', 'reject', '--comment', 'not like this']);
    expect((await workspace.run(['execute', '--quiet'], { env })).exitCode).toBe(1);
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({ review_comment: 'not like this' });
    await workspace.ok(['task', 'reopen', 'IMPL-1']);
    await workspace.ok(['execute', '--quiet'], { env });
    await workspace.ok(['task', 'reopen', 'IMPL-1']);
    await workspace.ok(['execute', '--quiet'], { env });
    const comment = '## What was wrong with the last attempt\n\nThe user rejected its work: not like this\n';
    expect(workspace.prompts().map(({ prompt }) => prompt.includes(comment))).toEqual([false, true, false]);
    expect(workspace.task('IMPL-1')['execution']).not.toHaveProperty('review_comment');
  });
});
