import { describe, expect, it } from 'vitest';
import { countOf, until } from '../rig/orchestrate.ts';
import { commandTask, type Json, SessionWorkspace, task } from './rig.ts';

describe('execution', () => {
  it('follows dependencies and id order, and stops at a blocked task', async () => {
    const workspace = new SessionWorkspace();
    const log = (id: string, more: Json = {}) => commandTask(id, `echo ${id} >> log`, more);
    await workspace.begin([
      log('IMPL-10'),
      log('IMPL-2', { context: { depends_on: ['IMPL-3'] } }),
      commandTask('IMPL-3', 'echo IMPL-3 >> log; exit 1'),
      log('IMPL-1'),
    ]);
    expect((await workspace.run(['execute'])).exitCode).toBe(1);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\n');
    const dry = await workspace.ok(['execute', 'IMPL-10', '--dry-run', '--agent', 'mock']);
    expect(dry.stdout).toBe(
      'WFS-work: 1 task would be executed by mock, at most 1 at once\n  1. IMPL-10  Do IMPL-10\n',
    );
    const ended = await workspace.run(['execute', '--on-failure', 'continue']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\nIMPL-10\n');
    const nothing = await workspace.run(['execute']);
    expect(nothing.exitCode).toBe(1);
    expect(nothing.stderr).toBe(
      'error: no task is ready: `IMPL-3` is blocked\nhelp: retry it with `orchestrate execute IMPL-3`, or mark it done with `orchestrate task update IMPL-3 --status completed`\n',
    );
    await workspace.ok(['task', 'update', 'IMPL-3', '--status', 'completed']);
    await workspace.ok(['execute']);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\nIMPL-10\nIMPL-2\n');
    expect((await workspace.ok(['execute'])).stderr).toBe('all tasks are already completed: nothing to do\n');
  });

  it('shows the title of a task when it starts', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'true', { title: 'Update the README' })]);
    const { stderr } = await workspace.ok(['execute']);
    expect(stderr).toMatch(/▶ IMPL-1 +Update the README\n/);
    expect(stderr).not.toMatch(/▶ IMPL-1 +call\n/);
  });

  it('--on-failure continue runs the tasks that do not depend on a blocked task', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      commandTask('IMPL-1', 'exit 1'),
      commandTask('IMPL-2', 'touch never', { context: { depends_on: ['IMPL-1'] } }),
      commandTask('IMPL-3', 'touch made'),
    ]);
    const ended = await workspace.run(['execute', '--on-failure', 'continue']);
    expect(ended.exitCode).toBe(1);
    expect([workspace.has('made'), workspace.has('never')]).toEqual([true, false]);
    const output = workspace.journal().at(-1) as unknown as { readonly output: Json };
    expect(output.output).toMatchObject({ completed: ['IMPL-3'], blocked: ['IMPL-1'], waiting: ['IMPL-2'] });
  });

  it('gives the agent the results of the subtasks that the task or its parent depends on', async () => {
    const workspace = new SessionWorkspace();
    const left = (approach: string): Json => ({ status: 'completed', summary: { approach } });
    await workspace.begin([
      task('IMPL-1', { status: 'completed' }),
      task('IMPL-1.1', left('Chose the tables.')),
      task('IMPL-1.2', left('Chose the routes.')),
      task('IMPL-2', left('Named things.')),
      task('IMPL-3', { status: 'container', context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-3.1', { context: { parent: 'IMPL-3', depends_on: ['IMPL-2'] } }),
    ]);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    const [sent] = workspace.prompts();
    const [, before = ''] = (sent?.prompt ?? '').split('## Results of earlier tasks');
    expect(before.match(/^### IMPL.*|"approach": ".*"/gm)).toEqual([
      ...['### IMPL-2: Do IMPL-2', '"approach": "Named things."'],
      ...['### IMPL-1.1: Do IMPL-1.1', '"approach": "Chose the tables."'],
      ...['### IMPL-1.2: Do IMPL-1.2', '"approach": "Chose the routes."'],
    ]);
    expect(before).toContain('## The parent task\n\nIMPL-3: Do IMPL-3\n');
  });

  it('resuming a failed run repeats only what failed', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        flow_control: {
          pre_analysis: [{ step: 'look', action: 'a', command: 'bash(echo x >> looks)' }],
          implementation_approach: [
            { step: 1, command: 'echo x >> ones' },
            { step: 2, command: 'echo x >> twos; test -e fixed' },
          ],
        },
      }),
      commandTask('IMPL-2', 'touch after', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect((await workspace.run(['execute'])).exitCode).toBe(1);
    expect(workspace.task('IMPL-1')['status']).toBe('blocked');
    workspace.write({ fixed: '' });
    await workspace.ok(['resume', 'last']);
    expect(['looks', 'ones', 'twos'].map((name) => countOf(workspace, name))).toEqual([1, 1, 2]);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { attempts: 2 } });
    expect(workspace.task('IMPL-1')['execution']).not.toHaveProperty('last_error');
    expect(workspace.has('after')).toBe(true);
  });

  it('runs the steps of an approach in order and passes on their outputs, even in a session that is not active', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        flow_control: {
          implementation_approach: [
            { step: 1, title: 'Look', command: 'bash(echo found it)', output: 'seen' },
            {
              step: 2,
              title: 'Write it down',
              description: 'Write [seen] down.',
              modification_points: ['in [focus_paths]'],
              logic_flow: ['read → write'],
              depends_on: [1],
              output: 'written',
            },
            { step: 3, title: 'Tell', command: 'echo "[seen]; [written]" > told', depends_on: [1, 2] },
          ],
        },
        context: { focus_paths: ['notes'] },
      }),
    ]);
    await workspace.ok(['session', 'start', 'Other']);
    const env = workspace.standInClaude(`return { approach: 'wrote' };`);
    await workspace.ok(['execute', '--session', 'WFS-work'], { env });
    expect(workspace.read('told')).toBe('found it; wrote\n');
    const [sent] = workspace.prompts();
    expect(sent?.prompt).toContain(
      '### 2. Write it down\n\nWrite found it down.\n\nChange:\n- in notes\n\nFlow:\n- read → write\n',
    );
    expect(sent?.prompt).not.toContain('### 3.');
    expect(workspace.markers()).toEqual(['.active-WFS-other']);
    expect(workspace.session('WFS-other')['run_id']).toBe(undefined);
  });

  it('refuses containers, unmet dependencies and invalid tasks', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1'),
      task('IMPL-1.1'),
      task('IMPL-2', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect(await workspace.run(['execute', 'IMPL-1'])).toMatchObject({
      exitCode: 2,
      stderr:
        'error: `IMPL-1` is a container and cannot be executed\nhelp: execute its subtasks: `orchestrate execute IMPL-1.1`\n',
    });
    expect((await workspace.run(['execute', 'IMPL-2'])).stderr).toContain('`IMPL-2` waits for `IMPL-1.1`');
    workspace.putTask(task('IMPL-3', { status: 'shelved' }));
    const refused = await workspace.run(['execute']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error[task/unknown-status]');
    expect(workspace.runs()).toEqual([]);
  });

  it('is limited to one process at a time', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'touch begun; while ! test -e go; do sleep 0.02; done')]);
    const first = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toBe('');
    const second = await workspace.run(['execute']);
    expect(second.exitCode).toBe(4);
    expect(second.stderr).toContain(`is being run by process ${first.pid}`);
    expect((await workspace.run(['session', 'complete', '--force'])).exitCode).toBe(4);
    workspace.write({ go: '' });
    expect((await first.ended).exitCode).toBe(0);
  });

  it('leaves the task unchanged when the run is interrupted, and resumes from there', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      commandTask('IMPL-1', 'echo x >> ones'),
      commandTask('IMPL-2', 'echo x >> twos; touch begun; while ! test -e go; do sleep 0.02; done'),
    ]);
    const first = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    // What is being done is not ready; what a killed run left is.
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toBe('');
    expect((await workspace.ok(['session', 'status'])).stdout).not.toContain('\nready:');
    first.child.kill('SIGKILL');
    await first.ended;
    expect([workspace.task('IMPL-1')['status'], workspace.task('IMPL-2')['status']]).toEqual([
      'completed',
      'active',
    ]);
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('\nready: IMPL-2\n');
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toMatch(/^IMPL-2 {2}active /m);
    workspace.write({ go: '' });
    workspace.putTask(commandTask('IMPL-3', 'touch late'));
    const second = await workspace.ok(['execute']);
    expect(second.stderr).toContain(`resuming run ${workspace.runs()[0]}`);
    expect([countOf(workspace, 'ones'), countOf(workspace, 'twos'), workspace.has('late')]).toEqual([
      1,
      2,
      true,
    ]);
    // A task that was added meanwhile belongs to the same run.
    expect(workspace.runs()).toHaveLength(1);
  });
});
