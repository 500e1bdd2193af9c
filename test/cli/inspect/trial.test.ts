import { expect, it } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';

it('dry runs and single steps are marked, and `last` skips them', async () => {
  const workspace = new Workspace({ 'w.yaml': 'steps: [{name: A, command: [echo, hi]}]\n' });
  const dry = await workspace.run(['run', 'w.yaml', '--dry-run']);
  expect(dry.stderr).toMatch(/^● run \S+ started: w \(dry run\)$/m);
  expect((await workspace.run(['show', 'last'])).stdout).toContain('  workflow w (w.yaml), dry run\n');

  await workspace.run(['run', 'w.yaml']);
  await workspace.run(['run-step', 'A', '--workflow', 'w.yaml']);
  await workspace.run(['run', 'w.yaml', '--dry-run']);
  const [, inEarnest = '', alone = ''] = workspace.runs();
  expect((await workspace.run(['show', 'last'])).stdout).toContain(
    `${inEarnest}  completed\n  workflow w (w.yaml)\n`,
  );
  expect((await workspace.run(['show', alone])).stdout).toContain('  workflow w (w.yaml), step A alone\n');
  const kinds = (await workspace.run(['runs'])).stdout.split('\n').slice(1, -1);
  expect(kinds.map((row) => /workflow(?: \(.*?\))?/.exec(row)?.[0])).toEqual([
    'workflow (dry run)',
    'workflow (step A alone)',
    'workflow',
    'workflow (dry run)',
  ]);
});
