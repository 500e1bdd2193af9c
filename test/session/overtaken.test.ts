import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { commandTask, type Json, SessionWorkspace } from './rig.ts';

/** Writes its name into `log`, so that it is seen how often it ran. */
const logs = (name: string, then = 'true'): string => `echo ${name} >> log; ${then}`;
const ENDLESS = 'touch begun; while true; do sleep 0.05; done';
const ASKS = {
  flow_control: {
    pre_analysis: [
      { step: 'check', action: 'look', command: 'bash(false)', on_error: 'manual_intervention' },
    ],
  },
};

const log = (workspace: SessionWorkspace): readonly string[] =>
  workspace.has('log') ? workspace.read('log').trim().split('\n') : [];
const statuses = (workspace: SessionWorkspace, ...ids: readonly string[]): readonly unknown[] =>
  ids.map((id) => workspace.task(id)['status']);

/** Killed while `IMPL-1` was at work; `IMPL-2` is still to come. */
async function interrupted(): Promise<SessionWorkspace> {
  const workspace = new SessionWorkspace();
  await workspace.begin([commandTask('IMPL-1', logs('A', ENDLESS)), commandTask('IMPL-2', logs('B'))]);
  const running = workspace.start(['execute', '--quiet']);
  await until(() => workspace.has('begun'));
  running.child.kill('SIGKILL');
  await running.ended;
  return workspace;
}

async function waiting(): Promise<SessionWorkspace> {
  const workspace = new SessionWorkspace();
  await workspace.begin([commandTask('IMPL-1', logs('A'), ASKS), commandTask('IMPL-2', logs('B'))]);
  expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(3);
  return workspace;
}

const fileOf = (workspace: SessionWorkspace, id: string): string =>
  path.join(workspace.folder, `.workflow/${workspace.id}/.task/${id}.json`);

function remove(workspace: SessionWorkspace): void {
  fs.rmSync(fileOf(workspace, 'IMPL-1'));
}

async function finishByHand(workspace: SessionWorkspace): Promise<void> {
  workspace.write({ 'notes.md': 'I did it.\n' });
  await workspace.ok(['task', 'done', 'IMPL-1', '--file', 'notes.md']);
}

function divideByHand(workspace: SessionWorkspace): void {
  for (const part of ['1', '2']) workspace.putTask(commandTask(`IMPL-1.${part}`, logs(`A${part}`)));
}

async function questions(workspace: SessionWorkspace): Promise<readonly Json[]> {
  return JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout).questions;
}

describe('a task that was interrupted is not executed any more', () => {
  it.each(['execute', 'resume'])('if its file was removed: %s', async (command) => {
    const workspace = await interrupted();
    remove(workspace);
    const argv = command === 'execute' ? ['execute'] : ['resume', 'last', '--trust'];
    const ended = await workspace.ok(argv);
    expect(ended.stderr).toContain('○ IMPL-1  skipped\n→ IMPL-1  its file was removed\n');
    expect(log(workspace)).toEqual(['A', 'B']);
    expect(statuses(workspace, 'IMPL-2')).toEqual(['completed']);
  });

  it('under its old name, but under its new one, if its file was renamed', async () => {
    const workspace = await interrupted();
    workspace.putTask({ ...workspace.task('IMPL-1'), ...commandTask('IMPL-7', logs('new')) });
    remove(workspace);
    await workspace.ok(['execute']);
    expect(log(workspace)).toEqual(['A', 'B', 'new']);
  });

  it('if it has subtasks now: they are', async () => {
    const workspace = await interrupted();
    divideByHand(workspace);
    const ended = await workspace.ok(['execute']);
    expect(ended.stderr).toContain('→ IMPL-1  it was divided into subtasks\n');
    expect(log(workspace)).toEqual(['A', 'A1', 'A2', 'B']);
    expect(statuses(workspace, 'IMPL-1', 'IMPL-1.1')).toEqual(['completed', 'completed']);
  });

  it('if the user has done it, whose summary is kept', async () => {
    const workspace = await interrupted();
    await finishByHand(workspace);
    await workspace.ok(['execute']);
    expect(log(workspace)).toEqual(['A', 'B']);
    expect(workspace.task('IMPL-1')['summary']).toEqual({ text: 'I did it.' });
  });

  it('if it was set to `blocked`, until it is named', async () => {
    const workspace = await interrupted();
    await workspace.ok(['task', 'update', 'IMPL-1', '--status', 'blocked']);
    const ended = await workspace.run(['execute']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('→ IMPL-1  it was set to `blocked`\n');
    expect(ended.stderr).toContain('not completed:\n  IMPL-1  Do IMPL-1  blocked\n');
    expect(log(workspace)).toEqual(['A', 'B']);
    workspace.putTask({
      ...workspace.task('IMPL-1'),
      flow_control: commandTask('IMPL-1', logs('C'))['flow_control'],
    });
    await workspace.ok(['execute', 'IMPL-1']);
    expect(log(workspace)).toEqual(['A', 'B', 'C']);
  });

  it('but is, as it is now, if it was edited and set to `pending`', async () => {
    const workspace = await interrupted();
    workspace.putTask(commandTask('IMPL-1', logs('C')));
    await workspace.ok(['execute']);
    expect(log(workspace)).toEqual(['A', 'C', 'B']);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { attempts: 1 } });
  });
});

describe('a task that waits for an answer', () => {
  it.each([
    ['removed', remove],
    ['done by the user', finishByHand],
    ['divided', divideByHand],
  ])('is not asked about any more if it was %s', async (_, change) => {
    const workspace = await waiting();
    expect(await questions(workspace)).toHaveLength(1);
    await change(workspace);
    const ended = await workspace.ok(['execute']);
    expect(ended.stderr).not.toContain('approve');
    expect(await questions(workspace)).toEqual([]);
    expect(log(workspace)).toEqual(change === divideByHand ? ['B', 'A1', 'A2'] : ['B']);
    expect((await workspace.ok(['runs', '--status', 'waiting'])).stdout).not.toContain('WFS-work');
  });
});

describe('a task that has failed', () => {
  it.each(['resume', 'execute'])(
    'is not executed if it is divided then, but its subtasks are: %s',
    async (command) => {
      const workspace = new SessionWorkspace();
      await workspace.begin([commandTask('IMPL-1', logs('A', 'false')), commandTask('IMPL-2', logs('B'))]);
      expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(1);
      await workspace.ok(['task', 'decompose', 'IMPL-1', '--into', 'one', 'two']);
      divideByHand(workspace);
      await workspace.ok(command === 'execute' ? ['execute'] : ['resume', 'last', '--trust']);
      expect(log(workspace)).toEqual(['A', 'A1', 'A2', 'B']);
      expect(statuses(workspace, 'IMPL-1', 'IMPL-2')).toEqual(['completed', 'completed']);
    },
  );

  it('is not executed before a dependency that its parent has now', async () => {
    const workspace = new SessionWorkspace();
    const parent = commandTask('IMPL-1', 'true', { status: 'container' });
    await workspace.begin([parent, commandTask('IMPL-1.1', logs('A', 'test -e made'))]);
    expect((await workspace.run(['execute', '--quiet'])).exitCode).toBe(1);
    workspace.putTask(commandTask('IMPL-2', 'touch made'));
    workspace.putTask(
      commandTask('IMPL-1', 'true', { status: 'container', context: { depends_on: ['IMPL-2'] } }),
    );
    const refused = await workspace.run(['resume', 'last', '--trust', '--quiet']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('it now depends on `IMPL-2`, which is not completed');
    expect(log(workspace)).toEqual(['A']);
  });
});

describe('a task at work whose file is removed', () => {
  it('does not stop the others', async () => {
    const workspace = new SessionWorkspace();
    const held = 'touch begun; while [ ! -e go ]; do sleep 0.05; done';
    await workspace.begin([commandTask('IMPL-1', held), commandTask('IMPL-2', logs('B'))]);
    const running = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    remove(workspace);
    workspace.write({ go: '' });
    const ended = await running.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('→ IMPL-1  its file was removed\n');
    expect(log(workspace)).toEqual(['B']);
    expect(fs.existsSync(fileOf(workspace, 'IMPL-1'))).toBe(false);
  });
});

describe('a session whose run was interrupted', () => {
  it('is continued where it is now if its folder was moved', async () => {
    const workspace = await interrupted();
    workspace.putTask({
      ...workspace.task('IMPL-1'),
      flow_control: commandTask('IMPL-1', logs('C'))['flow_control'],
    });
    const folder = path.join(workspace.folder, '.workflow');
    fs.mkdirSync(path.join(folder, 'active'));
    fs.renameSync(path.join(folder, workspace.id), path.join(folder, 'active', workspace.id));
    await workspace.ok(['resume', 'last', '--trust', '--quiet']);
    const task = JSON.parse(workspace.read(`.workflow/active/${workspace.id}/.task/IMPL-1.json`));
    expect(task.status).toBe('completed');
    expect(log(workspace)).toEqual(['A', 'C', 'B']);
    expect(fs.existsSync(path.join(folder, workspace.id))).toBe(false);
  });

  it('is not continued once it is completed', async () => {
    const workspace = await interrupted();
    await workspace.ok(['session', 'complete', '--force']);
    const refused = await workspace.run(['resume', 'last', '--trust']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toBe(
      'error: session `WFS-work` is completed\nhelp: reopen it with `orchestrate session reopen WFS-work`\n',
    );
    expect(log(workspace)).toEqual(['A']);
  });

  it('is shown as it goes, with what it did before, if `execute` resumes it', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      commandTask('IMPL-1', logs('A')),
      commandTask('IMPL-2', `touch begun; while [ ! -e go ]; do sleep 0.05; done; ${logs('B')}`),
      commandTask('IMPL-3', logs('C')),
    ]);
    const running = workspace.start(['execute', '--quiet']);
    await until(() => workspace.has('begun'));
    running.child.kill('SIGKILL');
    await running.ended;
    workspace.write({ go: '' });
    const { stderr } = await workspace.ok(['execute']);
    expect(stderr.indexOf('✓ IMPL-2 ')).toBeLessThan(stderr.indexOf('▶ IMPL-3 '));
    expect(stderr).toContain('✓ completed  3 steps ');
  });
});
