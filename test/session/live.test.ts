import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { commandTask, SessionWorkspace, task } from './rig.ts';

/** Appends its id to `log`, so that a task that runs twice is seen. */
function logged(id: string, more: string = 'true', fields: Parameters<typeof commandTask>[2] = {}) {
  return commandTask(id, `echo ${id} >> log; ${more}`, fields);
}

function held(id: string, fields: Parameters<typeof commandTask>[2] = {}) {
  return logged(id, `touch ${id}.begun; while ! test -e ${id}.go; do sleep 0.02; done`, fields);
}

const log = (workspace: SessionWorkspace) => workspace.read('log').trimEnd().split('\n');

const ASKS = {
  flow_control: {
    pre_analysis: [
      { step: 'check', action: 'Look', command: 'bash(exit 1)', on_error: 'manual_intervention' },
    ],
  },
};

describe('while a session is executed', () => {
  it('a task that is created starts at once if a place is free', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([held('IMPL-1', { context: { focus_paths: ['a'] } })]);
    const env = workspace.standInClaude();
    const run = workspace.start(['execute', '--max-parallel', '2'], { env });
    await until(() => workspace.has('IMPL-1.begun'));
    await workspace.ok(['task', 'create', '--title', 'Second', '--focus', 'b']);
    await until(() => workspace.task('IMPL-2')['status'] === 'completed');
    expect(workspace.task('IMPL-1')['status']).toBe('active');
    workspace.write({ 'IMPL-1.go': '' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.runs()).toHaveLength(1);
  });

  it('a task that is divided is not executed, but its subtasks are', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([held('IMPL-1'), logged('IMPL-2')]);
    const env = workspace.standInClaude();
    const run = workspace.start(['execute'], { env });
    await until(() => workspace.has('IMPL-1.begun'));
    await workspace.ok(['task', 'decompose', 'IMPL-2', '--into', 'Left', 'Right']);
    workspace.write({ 'IMPL-1.go': '' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(log(workspace)).toEqual(['IMPL-1']);
    expect(['IMPL-2', 'IMPL-2.1', 'IMPL-2.2'].map((id) => workspace.task(id)['status'])).toEqual(
      Array.from({ length: 3 }, () => 'completed'),
    );
    expect(workspace.prompts().map(({ prompt }) => prompt.split('\n', 1)[0])).toEqual([
      'Work on the task IMPL-2.1: Left',
      'Work on the task IMPL-2.2: Right',
    ]);
  });

  it('a command that an agent writes into a task is not run without the consent of the user', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([held('IMPL-1'), logged('IMPL-2')]);
    const run = workspace.start(['execute']);
    await until(() => workspace.has('IMPL-1.begun'));
    workspace.putTask(logged('IMPL-2', 'touch stolen'));
    workspace.putTask(logged('IMPL-3', 'touch stolen'));
    workspace.write({ 'IMPL-1.go': '' });
    const ended = await run.ended;
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain(
      'not completed:\n  IMPL-2  Do IMPL-2  pending\n  IMPL-3  Do IMPL-3  pending\n',
    );
    expect(workspace.has('stolen')).toBe(false);
  });

  it('a question holds up only what depends on it, with one place as well', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      logged('IMPL-1', 'true', ASKS),
      logged('IMPL-2', 'true', { context: { depends_on: ['IMPL-1'] } }),
      logged('IMPL-3'),
    ]);
    const first = await workspace.run(['execute']);
    expect(first.exitCode).toBe(3);
    expect(log(workspace)).toEqual(['IMPL-3']);
    expect(workspace.task('IMPL-3')['status']).toBe('completed');
    const [run = ''] = workspace.runs();
    expect(first.stderr).toContain(
      'not completed:\n  IMPL-1  Do IMPL-1  waiting for an answer\n  IMPL-2  Do IMPL-2  waiting for IMPL-1\n',
    );
    await workspace.ok(['task', 'create', '--title', 'Later', '--focus', 'later']);
    const env = workspace.standInClaude();
    const second = await workspace.run(['execute'], { env });
    expect(second.exitCode).toBe(3);
    expect(workspace.task('IMPL-4')['status']).toBe('completed');
    await workspace.ok(['approve', run, 'IMPL-1/check', '--choose', 'continue']);
    expect(await workspace.run(['execute'], { env })).toMatchObject({ exitCode: 0 });
    expect(log(workspace)).toEqual(['IMPL-3', 'IMPL-1', 'IMPL-2']);
    expect(workspace.runs()).toEqual([run]);
  });

  it('a question of a named task does not keep `execute` from starting the others, each once', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      logged('IMPL-1', 'true', ASKS),
      logged('IMPL-2'),
      logged('IMPL-3'),
      logged('IMPL-4', 'true', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect((await workspace.run(['execute', 'IMPL-1'])).exitCode).toBe(3);
    expect(workspace.has('log')).toBe(false);
    for (const _ of [1, 2]) {
      expect((await workspace.run(['execute'])).exitCode).toBe(3);
      expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-3']);
    }
    const [run = ''] = workspace.runs();
    await workspace.ok(['approve', run, 'IMPL-1/check', '--choose', 'continue']);
    await workspace.ok(['execute']);
    expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-3', 'IMPL-1', 'IMPL-4']);
    expect(workspace.runs()).toEqual([run]);
  });

  it('a question of a named task does not keep `execute` from starting another that is named, and only that', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      logged('IMPL-1', 'true', ASKS),
      logged('IMPL-2', 'test -e good'),
      logged('IMPL-3'),
      logged('IMPL-4', 'true', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect((await workspace.run(['execute', 'IMPL-1'])).exitCode).toBe(3);
    const failed = await workspace.run(['execute', 'IMPL-2']);
    expect(failed.exitCode).toBe(3);
    expect(failed.stderr).toMatch(/not completed:\n {2}IMPL-2 {2}Do IMPL-2 {2}blocked: .*\n/);
    expect(log(workspace)).toEqual(['IMPL-2']);
    workspace.write({ good: '' });
    expect((await workspace.run(['execute', 'IMPL-2'])).exitCode).toBe(3);
    expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-2']);
    expect(['IMPL-1', 'IMPL-2', 'IMPL-3'].map((id) => workspace.task(id)['status'])).toEqual([
      ...['active', 'completed', 'pending'],
    ]);
    const waits = await workspace.run(['execute', 'IMPL-4']);
    expect(waits).toMatchObject({ exitCode: 3 });
    expect(waits.stderr).toContain('not completed:\n  IMPL-4  Do IMPL-4  waiting for IMPL-1\n');
    expect((await workspace.run(['execute', 'IMPL-9'])).exitCode).toBe(2);
    const [run = ''] = workspace.runs();
    await workspace.ok(['approve', run, 'IMPL-1/check', '--choose', 'continue']);
    await workspace.ok(['execute', 'IMPL-4']);
    expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-2', 'IMPL-1', 'IMPL-4']);
    expect(await workspace.run(['execute', 'IMPL-4'])).toMatchObject({
      ...{ exitCode: 0, stderr: 'IMPL-4 is already completed: nothing to do\n' },
    });
    expect(workspace.runs()).toEqual([run]);
  });

  it('a task that the user let fail, or whose work was rejected, is done again if it is named while another waits', async () => {
    const workspace = new SessionWorkspace();
    workspace.initGit();
    const root = `'${workspace.folder}'`;
    const asks = (id: string) =>
      commandTask(id, `echo ${id} >> ${root}/log; echo ${id} > ${id}.txt`, {
        context: { focus_paths: [`${id}.txt`] },
        flow_control: {
          pre_analysis: [
            {
              ...{ step: 'check', action: 'Look', command: `bash(test -e ${root}/good)` },
              on_error: 'manual_intervention',
            },
          ],
        },
      });
    await workspace.begin(['IMPL-1', 'IMPL-2'].map(asks));
    expect((await workspace.run(['execute', '--review', '--quiet'])).exitCode).toBe(3);
    const [run = ''] = workspace.runs();
    await workspace.ok(['approve', run, 'IMPL-2/check', '--choose', 'fail']);
    expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(3);
    expect(workspace.task('IMPL-2')['status']).toBe('blocked');
    workspace.write({ good: '' });
    expect((await workspace.run(['execute', 'IMPL-2', '--quiet'])).exitCode).toBe(3);
    await workspace.ok(['task', 'review', 'IMPL-2', 'reject']);
    expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(3);
    expect(workspace.task('IMPL-2')['status']).toBe('blocked');
    expect((await workspace.run(['execute', 'IMPL-2', '--quiet'])).exitCode).toBe(3);
    await workspace.ok(['task', 'review', 'IMPL-2', 'accept']);
    expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(3);
    expect(['IMPL-1', 'IMPL-2'].map((id) => workspace.task(id)['status'])).toEqual(['active', 'completed']);
    expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-2']);
    expect(workspace.git('log', '--format=%s', '-1')).toBe('IMPL-2: Do IMPL-2\n');
    expect(workspace.runs()).toEqual([run]);
  });

  it('a task that failed or was rejected, and was opened again, is executed while another waits', async () => {
    const workspace = new SessionWorkspace();
    workspace.initGit();
    const root = `'${workspace.folder}'`;
    const own = (id: string, script: string) =>
      commandTask(id, `echo ${id} >> ${root}/log; echo ${id} >> ${id}.txt; ${script}`, {
        context: { focus_paths: [`${id}.txt`] },
      });
    await workspace.begin([
      own('IMPL-1', 'true'),
      own('IMPL-2', `test -e ${root}/good`),
      own('IMPL-3', 'true'),
    ]);
    const execute = ['execute', '--review', '--on-failure', 'continue', '--quiet'];
    expect((await workspace.run(execute)).exitCode).toBe(3);
    await workspace.ok(['task', 'review', 'IMPL-3', 'reject', '--comment', 'no']);
    expect((await workspace.run(execute)).exitCode).toBe(3);
    await workspace.ok(['task', 'reopen', 'IMPL-2']);
    await workspace.ok(['task', 'discard', 'IMPL-3', '--force']);
    workspace.write({ good: '' });
    expect((await workspace.run(execute)).exitCode).toBe(3);
    expect(log(workspace)).toEqual(['IMPL-1', 'IMPL-2', 'IMPL-3', 'IMPL-2', 'IMPL-3']);
    for (const id of ['IMPL-1', 'IMPL-2', 'IMPL-3']) await workspace.ok(['task', 'review', id, 'accept']);
    await workspace.ok(execute);
    expect(workspace.read('IMPL-2.txt')).toBe('IMPL-2\nIMPL-2\n');
    expect(workspace.read('IMPL-3.txt')).toBe('IMPL-3\n');
    expect(workspace.runs()).toHaveLength(1);
    expect(workspace.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('an answer is taken up by the running process, and the task waits for a free place', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([logged('IMPL-1', 'true', ASKS), held('IMPL-2'), logged('IMPL-3')]);
    const running = workspace.start(['execute']);
    await until(() => workspace.has('IMPL-2.begun'));
    const [run = ''] = workspace.runs();
    await workspace.ok(['approve', run, 'IMPL-1/check', '--choose', 'skip']);
    await until(() => workspace.journal().some(({ type }) => type === 'question-answered'));
    expect(log(workspace)).toEqual(['IMPL-2']);
    workspace.write({ 'IMPL-2.go': '' });
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    expect(log(workspace)).toEqual(['IMPL-2', 'IMPL-1', 'IMPL-3']);
  });

  it('`session pause` stops the run after the tasks at work', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([held('IMPL-1'), logged('IMPL-2')]);
    const running = workspace.start(['execute']);
    await until(() => workspace.has('IMPL-1.begun'));
    const [run] = workspace.runs();
    expect((await workspace.ok(['session', 'pause'])).stderr).toBe(
      `\`WFS-work\` is paused; no session is active\nrun ${run} stops after IMPL-1\n`,
    );
    workspace.write({ 'IMPL-1.go': '' });
    const ended = await running.ended;
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain(
      'not completed:\n  IMPL-2  Do IMPL-2  pending\nthe session is paused; continue with `orchestrate session resume` and `orchestrate execute`\n',
    );
    expect(log(workspace)).toEqual(['IMPL-1']);
    await workspace.ok(['session', 'resume']);
    await workspace.ok(['execute']);
    expect(log(workspace)).toEqual(['IMPL-1', 'IMPL-2']);
  });

  it('a failure stops what has not started, but what runs is finished and recorded', async () => {
    const workspace = new SessionWorkspace();
    const alone = (id: string) => ({ context: { focus_paths: [id] } });
    await workspace.begin([
      logged('IMPL-1', 'exit 1', alone('a')),
      held('IMPL-2', alone('b')),
      logged('IMPL-3', 'true', alone('c')),
    ]);
    const running = workspace.start(['execute', '--max-parallel', '2']);
    await until(() => workspace.has('IMPL-2.begun'));
    await until(() => workspace.task('IMPL-1')['status'] === 'blocked');
    workspace.write({ 'IMPL-2.go': '' });
    const ended = await running.ended;
    expect(ended.exitCode).toBe(1);
    expect(['IMPL-2', 'IMPL-3'].map((id) => workspace.task(id)['status'])).toEqual(['completed', 'pending']);
    expect(ended.stderr).toMatch(
      /not completed:\n {2}IMPL-1 {2}Do IMPL-1 {2}blocked: .*\n {2}IMPL-3 {2}Do IMPL-3 {2}pending\n/,
    );
    // The blocked task is left, so the session is not done even if everything else is.
    const second = await workspace.run(['execute']);
    expect(second.exitCode).toBe(1);
    expect(workspace.task('IMPL-3')['status']).toBe('completed');
    expect(second.stderr).toMatch(/not completed:\n {2}IMPL-1 .*blocked/);
  });

  it('nothing runs twice when it is killed after tasks were added, and answered, and killed again', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    await workspace.begin([logged('IMPL-1', 'true', ASKS), held('IMPL-2'), logged('IMPL-3')]);
    const first = workspace.start(['execute'], { env });
    await until(() => workspace.has('IMPL-2.begun'));
    await workspace.ok(['task', 'create', '--title', 'Added', '--focus', 'added']);
    first.child.kill('SIGKILL');
    await first.ended;
    const [run = ''] = workspace.runs();
    const second = workspace.start(['execute'], { env });
    await until(() => log(workspace).length === 2);
    await workspace.ok(['approve', run, 'IMPL-1/check', '--choose', 'continue']);
    second.child.kill('SIGKILL');
    await second.ended;
    workspace.write({ 'IMPL-2.go': '' });
    expect(await workspace.run(['execute'], { env })).toMatchObject({ exitCode: 0 });
    expect(
      log(workspace)
        .filter((id) => id !== 'IMPL-2')
        .sort(),
    ).toEqual(['IMPL-1', 'IMPL-3']);
    expect(['IMPL-1', 'IMPL-2', 'IMPL-3', 'IMPL-4'].map((id) => workspace.task(id)['status'])).toEqual(
      Array.from({ length: 4 }, () => 'completed'),
    );
    expect(workspace.prompts()).toHaveLength(1);
  });
});

describe('an empty session', () => {
  it('says so', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    expect(await workspace.run(['execute'])).toMatchObject({
      exitCode: 0,
      stderr: 'the session has no tasks; add some with `orchestrate plan` or `orchestrate task create`\n',
    });
    workspace.putTask(task('IMPL-1', { status: 'completed' }));
    expect((await workspace.run(['execute'])).stderr).toBe(
      'all tasks are already completed: nothing to do\n',
    );
  });
});
