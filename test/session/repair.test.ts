import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionWorkspace, task } from './rig.ts';

describe('repair', () => {
  it('removes a marker whose session does not exist', async () => {
    const workspace = new SessionWorkspace({ '.workflow/.active-WFS-gone': '' });
    const marker = 'the marker `.active-WFS-gone`: its session does not exist\n';
    expect((await workspace.ok(['repair', '--dry-run'])).stdout).toBe(`would remove ${marker}`);
    expect(workspace.markers()).toEqual(['.active-WFS-gone']);
    expect((await workspace.ok(['repair'])).stdout).toBe(`removed ${marker}`);
    expect(workspace.markers()).toEqual([]);
    expect(await workspace.ok(['repair'])).toMatchObject({ stdout: '', stderr: 'nothing to repair\n' });
  });

  it('keeps the newest of several markers', async () => {
    const workspace = new SessionWorkspace();
    await workspace.ok(['session', 'start', 'One']);
    await workspace.ok(['session', 'start', 'Two']);
    workspace.write({ '.workflow/.active-WFS-one': '' });
    const old = path.join(workspace.folder, '.workflow', '.active-WFS-two');
    fs.utimesSync(old, new Date(0), new Date(0));
    const repaired = await workspace.ok(['repair']);
    expect(repaired.stdout.split('\n')[0]).toBe(
      'removed the marker `.active-WFS-two`: the marker of `WFS-one` is newer',
    );
    expect(workspace.markers()).toEqual(['.active-WFS-one']);
    expect([workspace.session('WFS-one')['status'], workspace.session('WFS-two')['status']]).toEqual([
      'active',
      'paused',
    ]);
  });

  it('recreates a damaged session file from the tasks and keeps the damaged one', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      ...Array.from({ length: 5 }, (_, index) => task(`IMPL-${index + 1}`, { status: 'completed' })),
      task('IMPL-6', { status: 'active' }),
    ]);
    workspace.write({ '.workflow/WFS-work/workflow-session.json': '{"session_id": "WFS-wo' });
    expect((await workspace.run(['session', 'status'])).exitCode).toBe(2);
    const repaired = await workspace.ok(['repair']);
    expect(repaired.stdout).toContain(
      'recreated `.workflow/WFS-work/workflow-session.json` from its tasks: ',
    );
    expect(workspace.session()).toMatchObject({
      session_id: 'WFS-work',
      project: 'work',
      type: 'medium',
      status: 'active',
      current_phase: 'IMPLEMENT',
      progress: { completed_phases: ['PLAN'], current_tasks: ['IMPL-6'] },
    });
    expect(repaired.stdout).toContain('; the old one is kept as `workflow-session.json.kept-1`\n');
    expect(workspace.read('.workflow/WFS-work/workflow-session.json.kept-1')).toBe('{"session_id": "WFS-wo');
    await workspace.ok(['session', 'status']);
  });

  it('repairs a broken hierarchy', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1.1', { status: 'completed' }),
      task('IMPL-2', { status: 'pending' }),
      task('IMPL-2.1', { status: 'blocked', context: { parent: undefined } }),
      task('IMPL-3', { status: 'container' }),
    ]);
    const repaired = await workspace.ok(['repair']);
    expect(repaired.stdout.trimEnd().split('\n')).toEqual([
      'recreated `IMPL-1` as a container: missing parent of `IMPL-1.1`',
      'set `IMPL-2` to blocked instead of pending: derived from its subtasks',
      'set the parent of `IMPL-2.1` to `IMPL-2` instead of none, to match its id',
      'set `IMPL-3` to pending instead of container: it has no subtasks',
      'set `IMPL-1` to completed instead of container: derived from its subtasks',
    ]);
    const status = (id: string) => workspace.task(id)['status'];
    expect(['IMPL-1', 'IMPL-2', 'IMPL-3'].map(status)).toEqual(['completed', 'blocked', 'pending']);
    await workspace.ok(['task', 'validate']);
    expect(workspace.todo()).toContain('▸ **IMPL-1**');
  });

  it('reports what it cannot repair', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    workspace.write({ '.workflow/WFS-work/.task/IMPL-1.json': '{' });
    const repaired = await workspace.run(['repair']);
    expect(repaired).toMatchObject({
      exitCode: 1,
      stdout: 'cannot repair `.workflow/WFS-work/.task/IMPL-1.json`: it is not a JSON object\n',
    });
  });
});
