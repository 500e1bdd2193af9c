import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Json, SessionWorkspace, task } from './rig.ts';

describe('sessions', () => {
  it('start with the four files, the checksum record and the marker, and nothing else', async () => {
    const workspace = new SessionWorkspace();
    const started = await workspace.ok(['session', 'start', 'User Auth System', '--kind', 'tdd']);
    expect(started.stdout).toBe('WFS-user-auth-system\n');
    expect(workspace.list('.workflow')).toEqual([
      '.active-WFS-user-auth-system',
      'WFS-user-auth-system',
      'WFS-user-auth-system/.task',
      'WFS-user-auth-system/.written.sha256',
      'WFS-user-auth-system/IMPL_PLAN.md',
      'WFS-user-auth-system/TODO_LIST.md',
      'WFS-user-auth-system/workflow-session.json',
    ]);
    expect(workspace.session('WFS-user-auth-system')).toMatchObject({
      session_id: 'WFS-user-auth-system',
      project: 'User Auth System',
      type: 'simple',
      kind: 'tdd',
      current_phase: 'PLAN',
      status: 'active',
      progress: { completed_phases: [], current_tasks: [] },
    });
  });

  it('can start with a higher complexity, which few tasks do not lower', async () => {
    const workspace = new SessionWorkspace();
    const made = await workspace.ok(['session', 'start', 'Work', '--complexity', 'complex', '--json']);
    expect(JSON.parse(made.stdout)).toEqual(workspace.session());
    await workspace.ok(['task', 'create', '--title', 'Only one']);
    expect(workspace.session()).toMatchObject({ type: 'complex', kind: 'workflow' });
    for (const flags of [
      ['--complexity', 'huge'],
      ['--kind', 'party'],
    ])
      expect((await workspace.run(['session', 'start', 'Other', ...flags])).exitCode).toBe(2);
    expect(workspace.markers()).toEqual(['.active-WFS-work']);
  });

  it('get a number when the topic is taken, even by an archived session', async () => {
    const workspace = new SessionWorkspace();
    for (const id of ['WFS-pay', 'WFS-pay-002', 'WFS-pay-003']) {
      expect((await workspace.ok(['session', 'start', 'Pay'])).stdout).toBe(`${id}\n`);
    }
    await workspace.ok(['session', 'complete']);
    expect((await workspace.ok(['session', 'start', 'pay!'])).stdout).toBe('WFS-pay-004\n');
  });

  it.each([
    ['../../etc/passwd', 'WFS-etc-passwd'],
    ['Überraschung für Zoë', 'WFS-uberraschung-fur-zoe'],
    ['用户认证', 'WFS-session'],
    ['x'.repeat(200), `WFS-${'x'.repeat(50)}`],
    [`${'long word '.repeat(20)}`, 'WFS-long-word-long-word-long-word-long-word-long-word'],
  ])('make a safe folder name of the topic %j', async (topic, id) => {
    const workspace = new SessionWorkspace();
    expect((await workspace.ok(['session', 'start', topic])).stdout).toBe(`${id}\n`);
  });

  it('have ids that cannot lead outside `.workflow`', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    workspace.write({ 'outside/workflow-session.json': '{}' });
    for (const id of ['../outside', '..', 'WFS-../../outside', '/etc', 'archives']) {
      const refused = await workspace.run(['session', 'switch', id]);
      expect(refused).toMatchObject({ exitCode: 2 });
      expect(refused.stderr).toContain(`error: session \`${id}\` not found\n`);
    }
    expect(workspace.markers()).toEqual(['.active-WFS-work']);
  });

  it('that are completed but not archived yet cannot be resumed', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    const file = '.workflow/WFS-work/workflow-session.json';
    workspace.write({ [file]: JSON.stringify({ ...workspace.session(), status: 'completed' }) });
    const refused = await workspace.run(['session', 'switch', 'WFS-work']);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr:
        'error: session `WFS-work` is completed\nhelp: archive it with `orchestrate session complete WFS-work`\n',
    });
    await workspace.ok(['session', 'complete', 'WFS-work']);
    expect(workspace.has('.workflow/archives/WFS-work')).toBe(true);
  });

  it('are not started, and nothing is written, if `.workflow` leads outside the project', async () => {
    const workspace = new SessionWorkspace();
    const outside = new SessionWorkspace();
    fs.symlinkSync(outside.folder, path.join(workspace.folder, '.workflow'));
    const before = fs.statSync(outside.folder, { bigint: true }).mtimeNs;
    for (const argv of [['session', 'start', 'X'], ['session', 'pause'], ['repair']]) {
      const refused = await workspace.run(argv);
      expect(refused).toMatchObject({
        exitCode: 2,
        stderr: 'error: `.workflow` leads outside the workspace\n',
      });
    }
    expect(fs.statSync(outside.folder, { bigint: true }).mtimeNs).toBe(before);
  });

  it('are neither shown nor changed if `.workflow` or their tasks lead outside the project', async () => {
    const outside = new SessionWorkspace();
    await outside.ok(['session', 'start', 'Work']);
    outside.write({ '.workflow/WFS-work/TODO_LIST.md': 'theirs' });
    const workspace = new SessionWorkspace();
    fs.symlinkSync(path.join(outside.folder, '.workflow'), path.join(workspace.folder, '.workflow'));
    const other = new SessionWorkspace();
    await other.ok(['session', 'start', 'Work']);
    const tasks = path.join(other.folder, '.workflow/WFS-work/.task');
    fs.rmdirSync(tasks);
    fs.symlinkSync(path.join(outside.folder, '.workflow/WFS-work/.task'), tasks);
    for (const project of [workspace, other]) {
      for (const argv of [['session', 'status'], ['task', 'list'], ['views'], ['session', 'complete']]) {
        const refused = await project.run(argv);
        expect(refused.exitCode, argv.join(' ')).not.toBe(0);
        expect(refused.stderr).toContain('leads outside the workspace');
      }
      const listed = await project.run(['session', 'list']);
      expect(listed).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('leads outside the workspace'),
      });
    }
    expect(outside.read('.workflow/WFS-work/TODO_LIST.md')).toBe('theirs');
  });

  it('are switched, paused and resumed with one marker or none', async () => {
    const workspace = new SessionWorkspace();
    await workspace.ok(['session', 'start', 'One']);
    await workspace.ok(['session', 'start', 'Two']);
    expect(workspace.markers()).toEqual(['.active-WFS-two']);
    expect(workspace.session('WFS-one')['status']).toBe('paused');
    await workspace.ok(['session', 'switch', 'WFS-one']);
    expect(workspace.markers()).toEqual(['.active-WFS-one']);
    expect([workspace.session('WFS-one')['status'], workspace.session('WFS-two')['status']]).toEqual([
      'active',
      'paused',
    ]);
    await workspace.ok(['session', 'pause']);
    expect(workspace.markers()).toEqual([]);
    expect(workspace.session('WFS-one')['status']).toBe('paused');
    await workspace.ok(['session', 'resume']);
    expect(workspace.markers()).toEqual(['.active-WFS-one']);
    const listed = await workspace.ok(['session', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { session_id: 'WFS-one', state: 'active', done: 0, total: 0 },
      { session_id: 'WFS-two', state: 'paused' },
    ]);
  });

  it('are switched by moving the marker with a shell too', async () => {
    const workspace = new SessionWorkspace();
    await workspace.ok(['session', 'start', 'One']);
    await workspace.ok(['session', 'start', 'Two']);
    workspace.remove('.workflow/.active-WFS-two');
    workspace.write({ '.workflow/.active-WFS-one': '' });
    const states = async (): Promise<readonly string[]> =>
      JSON.parse((await workspace.ok(['session', 'list', '--json'])).stdout).map(
        ({ session_id, state }: Json) => `${session_id} ${state}`,
      );
    expect(await states()).toEqual(['WFS-one active', 'WFS-two paused']);
    expect((await workspace.ok(['session', 'status'])).stdout).toMatch(/^WFS-one: One\n {2}active, /);
    workspace.remove('.workflow/.active-WFS-one');
    expect(await states()).toEqual(['WFS-one paused', 'WFS-two paused']);
  });

  it('cannot be completed while tasks are open, and are archived with an entry in the manifest', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1'), task('IMPL-2', { status: 'completed' })]);
    const refused = await workspace.run(['session', 'complete']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'error: 1 task is not completed: `IMPL-1`\nhelp: use `--force` to complete the session anyway\n',
    );
    await workspace.ok(['session', 'complete', '--force', '--lesson', 'begin with the tests']);
    expect(workspace.markers()).toEqual([]);
    expect(workspace.has('.workflow/WFS-work')).toBe(false);
    const manifest = JSON.parse(workspace.read('.workflow/archives/manifest.json'));
    expect(manifest.archives).toMatchObject([
      { session_id: 'WFS-work', tasks: { total: 2, completed: 1 }, lessons: ['begin with the tests'] },
    ]);
    const [{ created_at, completed_at, duration_ms }] = manifest.archives;
    expect(duration_ms).toBe(Date.parse(completed_at) - Date.parse(created_at));
    expect((await workspace.ok(['session', 'status', 'WFS-work'])).stdout).toContain('completed, IMPLEMENT');
    expect((await workspace.ok(['task', 'list', '--session', 'WFS-work'])).stdout).toContain('IMPL-2');
    expect((await workspace.run(['session', 'switch', 'WFS-work'])).stderr).toContain('is completed');
  });

  it('show progress, task tree and ready tasks', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', { status: 'completed', execution: { attempts: 1, cost_usd: 0.25 } }),
      task('IMPL-2', { status: 'container', context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-2.1'),
      task('IMPL-2.2', { context: { parent: 'IMPL-2', depends_on: ['IMPL-2.1'] } }),
      task('IMPL-10', {
        status: 'blocked',
        execution: { attempts: 1, last_error: 'no luck', cost_usd: null },
      }),
    ]);
    expect((await workspace.ok(['session', 'status'])).stdout).toBe(`WFS-work: Work
  active, PLAN, simple, kind workflow
  [███████░░░░░░░░░░░░░░░░░░░░░░░] 1/4 tasks completed, 1 blocked
  cost: $0.2500 + 1 call of unknown cost

  ● IMPL-1  Do IMPL-1  $0.2500
  ▸ IMPL-2  Do IMPL-2
    ○ IMPL-2.1  Do IMPL-2.1
    ○ IMPL-2.2  Do IMPL-2.2  waiting for IMPL-2.1
  ✗ IMPL-10  Do IMPL-10  blocked: no luck  cost unknown

ready: IMPL-2.1
`);
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(status).toMatchObject({
      session_id: 'WFS-work',
      running: null,
      tasks: { total: 4, completed: 1, active: 0, blocked: 1, pending: 2 },
      cost: { cost_usd: 0.25, agent_calls: 2, unknown_cost_calls: 1 },
      ready: ['IMPL-2.1'],
      tree: [
        { id: 'IMPL-1', status: 'completed', subtasks: [] },
        { id: 'IMPL-2', status: 'container', subtasks: [{ id: 'IMPL-2.1' }, { waits_for: ['IMPL-2.1'] }] },
        { id: 'IMPL-10', last_error: 'no luck' },
      ],
    });
  });
});
