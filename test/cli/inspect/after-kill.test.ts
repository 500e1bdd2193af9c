import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { until, Workspace } from '../../rig/orchestrate.ts';

const YAML = `name: Killed
steps:
  - {name: A, command: [echo, hi]}
  - {name: Loop, for_each: {items: [a, b], steps: [{name: Wait, command: [sleep, "60"]}]}}
`;

test('after kill -9, `runs`, `show`, the report and `doctor` agree on status and times; the files are unchanged', async () => {
  const workspace = new Workspace({ 'w.yaml': YAML });
  const started = workspace.start(['run', 'w.yaml', '-q']);
  await until(
    () =>
      workspace.runs().length === 1 &&
      workspace.hasState() &&
      workspace.journal().some(({ type, key }) => type === 'process-started' && key === 'Loop/0/Wait'),
  );
  started.child.kill('SIGKILL');
  await started.ended;
  const before = fs.readFileSync(path.join(workspace.runFolder(), 'state.json'), 'utf8');
  const json = async (...argv: string[]) => JSON.parse((await workspace.run(argv)).stdout);
  for (const isViewThere of [true, false]) {
    if (!isViewThere) fs.rmSync(path.join(workspace.runFolder(), 'state.json'));
    const show = await json('show', 'last', '--json');
    const [listed] = await json('runs', '--json');
    const { run, steps } = await json('report', '--format', 'json');
    expect([show.status, listed.status, run.status]).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect([show.process_alive, listed.process_alive, show.current_step]).toEqual([false, false, null]);
    expect([listed.updated_at, run.ended_at]).toEqual([show.updated_at, show.updated_at]);
    expect(run.duration_ms).toBe(show.duration_ms);
    expect(listed.totals).toEqual(show.totals);
    expect(show.for_each.Loop.status).toBe('interrupted');
    expect(steps.map((step: { key: string; status: string }) => [step.key, step.status])).toEqual([
      ['A', 'completed'],
      ['Loop', 'interrupted'],
      ['Loop/0/Wait', 'interrupted'],
    ]);
    for (const command of [['runs'], ['show', 'last']])
      expect((await workspace.run(command)).stdout).toContain('interrupted (process ended)');
    const took = /took ([\d.]+ m?s)/.exec((await workspace.run(['show', 'last'])).stdout)?.[1] ?? '?';
    expect((await workspace.run(['runs'])).stdout).toContain(took);
    expect((await workspace.run(['runs', '--status', 'interrupted'])).stdout).toContain('Killed');
    expect((await workspace.run(['runs', '--status', 'running'])).stderr).toBe('no run matches\n');
    expect((await workspace.run(['doctor'])).stdout).toContain(
      'was interrupted: its process is no longer running',
    );
    if (isViewThere)
      expect(fs.readFileSync(path.join(workspace.runFolder(), 'state.json'), 'utf8')).toBe(before);
  }
});
