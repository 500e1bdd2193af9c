import { describe, expect, it } from 'vitest';
import { SessionWorkspace, task } from './rig.ts';

describe('tasks', () => {
  it('are created with the next free id and a matching agent', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-7')]);
    const made = await workspace.ok([
      ...['task', 'create', '--title', 'Write tests for login', '--type', 'test', '--focus', 'tests/auth'],
      ...['--requirement', 'all paths', '--acceptance', 'command: true', '--depends-on', 'IMPL-7'],
    ]);
    expect(made.stdout).toBe('IMPL-8\n');
    expect(workspace.task('IMPL-8')).toEqual({
      id: 'IMPL-8',
      title: 'Write tests for login',
      status: 'pending',
      meta: { type: 'test', agent: 'code-review-test-agent' },
      context: {
        requirements: ['all paths'],
        focus_paths: ['tests/auth'],
        acceptance: ['command: true'],
        depends_on: ['IMPL-7'],
        shared_context: {},
      },
      flow_control: { pre_analysis: [], implementation_approach: {}, target_files: [] },
    });
  });

  it.each([
    ['Plan the migration', 'planning-agent'],
    ['Review the new module', 'review-agent'],
    ['Add a button', 'code-developer'],
    ['Improve test coverage', 'code-review-test-agent'],
  ])('%j is assigned to %s', async (title, agent) => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    await workspace.ok(['task', 'create', '--title', title]);
    expect(workspace.task('IMPL-1')['meta']).toEqual({ type: 'feature', agent });
  });

  it('are decomposed into subtasks that inherit, and become containers with a derived status', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        context: { requirements: ['be fast'], focus_paths: ['src'], shared_context: { db: 'pg' } },
      }),
    ]);
    const divided = await workspace.ok(['task', 'decompose', 'IMPL-1', '--into', 'Read', 'Write']);
    expect(divided.stdout).toBe('IMPL-1.1\nIMPL-1.2\n');
    expect(workspace.task('IMPL-1')['status']).toBe('container');
    expect(workspace.task('IMPL-1.2')['context']).toMatchObject({
      parent: 'IMPL-1',
      focus_paths: ['src'],
      inherited: { from: 'IMPL-1', context: ['be fast'] },
      shared_context: { db: 'pg' },
    });
    const statuses: unknown[] = [];
    for (const [id, status] of [
      ['IMPL-1.1', 'blocked'],
      ['IMPL-1.2', 'active'],
      ['IMPL-1.1', 'completed'],
      ['IMPL-1.2', 'completed'],
    ] as const) {
      await workspace.ok(['task', 'update', id, '--status', status]);
      statuses.push(workspace.task('IMPL-1')['status']);
    }
    expect(statuses).toEqual(['blocked', 'active', 'active', 'completed']);
    const refused = await workspace.run(['task', 'update', 'IMPL-1', '--status', 'pending']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toBe(
      'error: cannot set the status of `IMPL-1`: it is derived from its subtasks\nhelp: set it on `IMPL-1.1`, `IMPL-1.2`\n',
    );
    expect((await workspace.run(['task', 'decompose', 'IMPL-1.1', '--into', 'x'])).stderr).toContain(
      'is a subtask and cannot have subtasks',
    );
  });

  it('keep unknown fields and their history', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', { team: { lead: 'Ada' }, context: { ticket: 'X-1' }, meta: { points: 3 } }),
    ]);
    await workspace.ok([
      'task',
      'update',
      'IMPL-1',
      '--status',
      'blocked',
      '--title',
      'New',
      '--focus',
      'src',
    ]);
    expect(JSON.parse((await workspace.ok(['task', 'show', 'IMPL-1'])).stdout)).toEqual(
      workspace.task('IMPL-1'),
    );
    expect(await workspace.run(['task', 'show', 'IMPL-11'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: task `IMPL-11` not found\nhelp: did you mean `IMPL-1`?\n',
    });
    expect(workspace.task('IMPL-1')).toMatchObject({
      title: 'New',
      team: { lead: 'Ada' },
      context: { ticket: 'X-1', focus_paths: ['src'] },
      meta: { points: 3 },
      status_history: [{ from: 'pending', to: 'blocked', by: 'hand' }],
    });
  });

  it('raise the complexity as their number grows, and never lower it', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin(Array.from({ length: 4 }, (_, index) => task(`IMPL-${index + 1}`)));
    const types: unknown[] = [];
    for (const count of [5, 15, 16]) {
      for (let number = 5; number < count; number += 1) workspace.putTask(task(`IMPL-${number}`));
      await workspace.ok(['task', 'create', '--title', 'One more']);
      types.push(workspace.session()['type']);
    }
    expect(types).toEqual(['medium', 'medium', 'complex']);
    for (let number = 3; number <= 16; number += 1)
      workspace.remove(`.workflow/WFS-work/.task/IMPL-${number}.json`);
    await workspace.ok(['views']);
    expect(workspace.session()['type']).toBe('complex');
  });

  it('are listed by status and readiness, in numeric order', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-10'),
      task('IMPL-2', { context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-1', { status: 'blocked' }),
    ]);
    expect((await workspace.ok(['task', 'list'])).stdout).toBe(
      'TASK     STATUS   TITLE       WAITS FOR\n' +
        'IMPL-1   blocked  Do IMPL-1\n' +
        'IMPL-2   pending  Do IMPL-2   IMPL-1\n' +
        'IMPL-10  pending  Do IMPL-10\n',
    );
    const ids = async (...flags: string[]) =>
      JSON.parse((await workspace.ok(['task', 'list', '--json', ...flags])).stdout).map(
        ({ id }: { readonly id: string }) => id,
      );
    expect(await ids('--ready')).toEqual(['IMPL-10']);
    expect(await ids('--status', 'blocked')).toEqual(['IMPL-1']);
  });

  it('are listed with the files that cannot be read as tasks', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1'), task('IMPL-9.1.1')]);
    workspace.write({ '.workflow/WFS-work/.task/IMPL-2.json': '{' });
    const note = 'not read as tasks: IMPL-2.json, IMPL-9.1.1.json; the reasons: orchestrate task validate\n';
    expect(await workspace.ok(['task', 'list'])).toMatchObject({
      stdout: expect.stringContaining('IMPL-1'),
      stderr: note,
    });
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(`\n\n${note}`);
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(status.not_tasks).toEqual(['IMPL-2.json', 'IMPL-9.1.1.json']);
  });

  it('cannot depend on each other, on their parent, or on a missing task', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1'),
      task('IMPL-2', { context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-2.1'),
    ]);
    const refusal = async (...argv: string[]) => (await workspace.run(['task', 'update', ...argv])).stderr;
    expect(await refusal('IMPL-1', '--depends-on', 'IMPL-2')).toContain('`IMPL-1` → `IMPL-2` → `IMPL-1`');
    expect(await refusal('IMPL-2.1', '--depends-on', 'IMPL-2')).toContain('its own parent');
    expect(await refusal('IMPL-1', '--depends-on', 'IMPL-3')).toContain('dependency `IMPL-3` not found');
    expect(await refusal('IMPL-1', '--focus', '../x')).toContain('contains `..`');
    const made = await workspace.run([
      ...['task', 'create', '--title', 'Late', '--parent', 'IMPL-1', '--depends-on', 'IMPL-2.1'],
    ]);
    expect(made).toMatchObject({ exitCode: 2, stdout: '' });
    expect(made.stderr).toContain('`IMPL-1` → `IMPL-1.1` → `IMPL-2.1` → `IMPL-1`');
    expect(workspace.has('.workflow/WFS-work/.task/IMPL-1.1.json')).toBe(false);
  });
});
