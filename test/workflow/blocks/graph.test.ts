import { describe, expect, it } from 'vitest';
import type { StepState } from '../../../src/model/run-state.ts';
import { countOf, Workspace } from '../../rig/orchestrate.ts';
import { startedSteps } from '../runs.ts';

function node(workspace: Workspace, name: string): StepState | undefined {
  return workspace.step('All').branches?.[name]?.[name] as StepState | undefined;
}

describe('`graph`', () => {
  it('runs each step as soon as what it needs is done, and lets it read the results', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: All
    graph:
      steps:
        - {name: Ship, needs: [Test, Docs], command: [echo, "\${steps.Build.output} \${steps.Docs.output}"]}
        - {name: Test, needs: [Build], command: [bash, -c, "while [ ! -e documented ]; do sleep 0.01; done; echo \${steps.Build.output}"]}
        - {name: Build, command: [echo, built]}
        - {name: Docs, command: [bash, -c, "while [ ! -e tested ] && ! ls .orchestrate/runs/*/logs | grep -q Build; do sleep 0.01; done; touch documented; echo docs"]}
        - {name: Never, when: {exists: nothing}, command: [echo, never]}
        - {name: Anyway, needs: [Never], command: [echo, "\${steps.Never.exit_code}"]}
  - {name: After, command: [echo, "\${steps.Ship.output} \${steps.All.results.Test.output} \${steps.All.results.Never.status}"]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.stderr).not.toContain('error');
    expect(ended.exitCode).toBe(0);
    expect(workspace.step('After').output).toBe('built docs built skipped\n');
    expect(node(workspace, 'Anyway')).toMatchObject({ status: 'completed', output: '0\n' });
    const started = startedSteps(workspace);
    expect(started.indexOf('All/Test/Test')).toBeGreaterThan(started.indexOf('All/Build/Build'));
    expect(started.indexOf('All/Ship/Ship')).toBeGreaterThan(started.indexOf('All/Test/Test'));
  });

  const failing = `steps:
  - name: All
    graph:
      max_parallel: 2
      steps:
        - {name: Build, command: [bash, -c, "echo x >> builds; test -e fixed"]}
        - {name: Test, needs: [Build], command: [bash, -c, "echo x >> tests"]}
        - {name: Ship, needs: [Docs, Test], command: [echo, shipped]}
        - {name: Lint, command: ["false"], allow_failure: true}
        - {name: Docs, needs: [Lint], command: [bash, -c, "echo x >> docs"]}
`;

  it('skips what needs a failed step, lets the rest finish, and tries both again when resumed', async () => {
    const workspace = new Workspace({ 'w.yaml': failing });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('All')).toMatchObject({
      status: 'failed',
      error: { context: { causes: [{ branch: 'Build', message: 'the command ended with exit code 1' }] } },
    });
    expect(node(workspace, 'Test')).toMatchObject({
      status: 'skipped',
      decisions: ['skipped: it needs `Build`, which failed'],
    });
    expect(node(workspace, 'Ship')).toMatchObject({
      status: 'skipped',
      decisions: ['skipped: it needs `Test`, which was skipped'],
    });
    expect(node(workspace, 'Docs')).toMatchObject({ status: 'completed' });
    const shown = (await workspace.run(['show', 'last'])).stdout;
    expect(shown).toMatch(/^ {2}✗ Build {2}.*\n.*\n {2}○ Test {3}skipped\n/m);

    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(node(workspace, 'Ship')).toMatchObject({ status: 'completed', output: 'shipped\n' });
    expect([countOf(workspace, 'builds'), countOf(workspace, 'tests'), countOf(workspace, 'docs')]).toEqual([
      2, 1, 1,
    ]);
    const why = (await workspace.run(['explain', 'last', 'All/Ship/Ship'])).stdout;
    expect(why).toContain('part of `All`, needs `Docs`, `Test`');
    expect(why).toContain('is tried again: the run was resumed, and with it what this step needs');
  });

  it('is drawn with what is needed as arrows', async () => {
    const workspace = new Workspace({ 'w.yaml': failing, fixed: '' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const report = JSON.parse((await workspace.run(['report', 'last', '--format', 'json'])).stdout);
    const edges = report.flow.edges.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`);
    expect(edges.sort()).toEqual([
      'All/Build All/Test',
      'All/Docs All/Ship',
      'All/Lint All/Docs',
      'All/Test All/Ship',
    ]);
    expect(report.flow.nodes.map(({ label }: { label: string }) => label).sort()).toEqual([
      'All',
      'Build',
      'Docs',
      'Lint',
      'Ship',
      'Test',
    ]);
  });

  it('may contain loops and branches, and a fork starts at one of its steps', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: All
    graph:
      steps:
        - {name: List, command: [bash, -c, "echo x >> lists; printf 'a\\\\nb\\\\n'"], output_capture: lines}
        - name: Each
          needs: [List]
          for_each: {items_from: steps.List.lines, steps: [{name: Use, command: [bash, -c, "echo \${item} >> used"]}]}
        - name: Sum
          needs: [Each]
          command: [echo, "\${steps.Each.results.1.item}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(node(workspace, 'Sum')?.output).toBe('b\n');
    expect(workspace.state().for_each['All/Each/Each']).toMatchObject({ completed_indices: [0, 1] });
    expect(await workspace.run(['fork', 'last', '--from', 'Each'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'lists')).toBe(1);
    expect(workspace.read('used')).toBe('a\nb\na\nb\n');
  });

  it('shows its steps in a dry run', async () => {
    const workspace = new Workspace({ 'w.yaml': failing });
    const ended = await workspace.run(['run', 'w.yaml', '--dry-run']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('dry run: would run echo shipped');
    expect(workspace.has('builds')).toBe(false);
  });

  it('of a thousand steps loads, runs and resumes', { timeout: 120_000 }, async () => {
    const steps = Array.from({ length: 1000 }, (_, index) => {
      const needs = index < 4 ? '' : `needs: [S${index - 4}, S${index - 3}], `;
      const reads = index < 4 ? 'x' : `\${steps.S${index % 4}.status}`.replace('.status', '.exit_code');
      return `        - {name: S${index}, ${needs}when: {equals: {left: "${reads}", right: never}}, command: ["true"]}\n`;
    });
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - name: All\n    graph:\n      max_parallel: 8\n      steps:\n${steps.join('')}  - {name: Last, command: [test, -e, fixed]}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().totals).toMatchObject({ steps_skipped: 1000, steps_failed: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
  });
});
