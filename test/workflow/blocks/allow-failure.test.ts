import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../../rig/orchestrate.ts';
import { exiting, quiet, startedSteps } from '../runs.ts';

const ALLOWED = '    allow_failure: true\n';

describe('`allow_failure`', () => {
  it('records the failure, shows it as allowed, and continues as after success', async () => {
    const workspace = new Workspace({ 'w.yaml': `steps:\n${exiting('Lint', 3, ALLOWED)}${quiet('Build')}` });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('failed; allowed by `allow_failure`');
    expect(workspace.step('Lint')).toMatchObject({
      status: 'failed',
      exit_code: 3,
      failure_allowed: true,
      decisions: ['failed; allowed by `allow_failure`'],
    });
    expect(workspace.state()).toMatchObject({ status: 'completed', totals: { steps_failed: 1 } });
    const shown = await workspace.run(['show', 'last']);
    expect(shown.stdout).toMatch(/✗ Lint\s+.*failure allowed/);
    const explained = await workspace.run(['explain', 'last', 'Lint']);
    expect(explained.stdout).toContain('failed; allowed by `allow_failure`');
  });

  it('follows `on.success`, and `validate` warns about an `on.failure` that never applies', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
${exiting('Lint', 1, `${ALLOWED}    on: {success: {goto: Last}, failure: {goto: Middle}}\n`)}${quiet('Middle')}${quiet('Last')}`,
    });
    expect((await workspace.run(['validate', 'w.yaml'])).stderr).toContain(
      '`on.failure` of step `Lint` has no effect, because its failure is allowed and counts as success',
    );
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(startedSteps(workspace)).toEqual(['Lint', 'Last']);
  });

  it('applies to a loop and to the steps of an item, and results can be read', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    allow_failure: true
    for_each:
      items: [a, b]
      on_item_failure: continue
      steps:
        - {name: Try, command: [bash, -c, "echo x; exit 4"], allow_failure: true}
        - {name: Check, command: ["test", "\${item}\${steps.Try.exit_code}", "=", "a4"]}
  - {name: After, command: [echo, "\${steps.Each.exit_code}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().for_each['Each']).toMatchObject({ status: 'failed', failure_allowed: true });
    expect(workspace.step('After').output).toBe('1\n');
    expect((await workspace.run(['show', 'last'])).stdout).toMatch(/✗ Each\s+.*failure allowed/);
  });

  it('is not repeated when the run is resumed for another failure', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Lint, command: [bash, -c, "echo x >> lint; exit 1"], allow_failure: true}
  - {name: Test, command: [test, -e, fixed]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'lint')).toBe(1);
    expect(workspace.step('Lint')).toMatchObject({ status: 'failed', failure_allowed: true });
  });

  it('does not lift `max_visits`', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n${exiting('Loop', 1, `${ALLOWED}    max_visits: 2\n    on: {success: {goto: Loop}}\n`)}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(startedSteps(workspace)).toEqual(['Loop', 'Loop#2']);
  });

  it('is marked in every report: an allowed failure is neither a failure of the run nor of a test suite', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
${exiting('Lint', 3, `${ALLOWED}    max_visits: 3\n    on: {success: {goto: Each}}\n`)}
  - name: Each
    allow_failure: true
    for_each:
      items: [a.ts]
      steps:
        - {name: Try, command: [bash, -c, "exit 4"]}
${exiting('Test', 1)}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const report = async (format: string) =>
      (await workspace.run(['report', 'last', '--format', format])).stdout;
    const headings = (text: string) => text.match(/^##+ .*$/gm);
    expect(headings(await report('md'))?.slice(0, 6)).toEqual([
      ...['## Failures', '### Test'],
      ...['## Allowed failures', '### Lint', '### Each', '### Each/0/Try \\[a.ts\\]'],
    ]);
    expect(await report('md')).toContain('✗ Lint | failed (allowed) |');
    expect(await report('github')).toContain('## Allowed failures\n\n### Lint');
    const html = await report('html');
    expect(html.indexOf('<h2>Failures</h2><h3>Test</h3>')).toBeGreaterThan(0);
    expect(html).toContain('<h2>Allowed failures</h2><h3>Lint</h3>');
    const { steps } = JSON.parse(await report('json'));
    expect(
      steps.map((step: { key: string; failure_allowed?: true }) => [step.key, step.failure_allowed]),
    ).toEqual([
      ...[
        ['Lint', true],
        ['Each', true],
        ['Each/0/Try', true],
      ],
      ['Test', undefined],
    ]);
    const junit = await report('junit');
    expect(junit).toContain('tests="3" failures="1" errors="0" skipped="2"');
    expect(junit).toContain('<testcase name="Each/0/Try [a.ts]"');
  });

  it('is shown for every visit of a step', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
${exiting('Lint', 3, ALLOWED)}
  - {name: More, command: [bash, -c, "test -e again || { touch again; exit 1; }"], on: {failure: {goto: Lint}}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const shown = (await workspace.run(['show', 'last'])).stdout;
    expect(shown.match(/✗ Lint .*failure allowed/g)).toHaveLength(2);
  });
});
