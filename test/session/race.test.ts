import { describe, expect, it } from 'vitest';
import { child, watchMarkers } from './race-child.ts';
import { SessionWorkspace, task } from './rig.ts';

const ROUNDS = 1000;

describe('two processes at once', () => {
  it('switch sessions and change tasks a thousand times without losing a change or leaving two markers', async () => {
    const workspace = new SessionWorkspace();
    await workspace.ok(['session', 'start', 'Other']);
    await workspace.begin([task('IMPL-1', { count: {} })]);
    const seen = watchMarkers(workspace.folder);
    const ended = await Promise.all(['a', 'b'].map((name) => child(workspace.folder, name, ROUNDS)));
    const most = seen.stop();
    expect(ended.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
    expect(most).toBe(1);
    const document = workspace.task('IMPL-1');
    expect(document['count']).toEqual({ a: ROUNDS, b: ROUNDS });
    expect((document['status_history'] as unknown[]).length).toBeGreaterThan(0);
    expect(workspace.markers()).toHaveLength(1);
    const active = ['WFS-other', 'WFS-work'].filter((id) => workspace.session(id)['status'] === 'active');
    expect(workspace.markers()).toEqual(active.map((id) => `.active-${id}`));
  }, 180_000);
});
