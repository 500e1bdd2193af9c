import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../../rig/orchestrate.ts';
import { startedSteps } from '../runs.ts';

describe('`parallel`', () => {
  const branches = `steps:
  - name: Both
    parallel:
      branches:
        - name: left
          steps:
            - {name: L1, command: [bash, -c, "test -e fixed || exit 3"]}
            - {name: L2, command: [echo, left]}
        - name: right
          steps:
            - {name: R1, command: [bash, -c, "echo x >> right; echo one"]}
            - {name: R2, command: [echo, "\${steps.R1.output}-two"]}
        - name: third
          steps: [{name: T1, command: [bash, -c, "exit 4"], on: {failure: {goto: _end}}}]
  - name: After
    command: [printf, "%s|", "\${steps.L2.output}", "\${steps.R2.output}", "\${steps.T1.exit_code}"]
`;

  it('lets the other branches finish when one fails, then fails with the list of causes', async () => {
    const workspace = new Workspace({ 'w.yaml': branches });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const both = workspace.step('Both');
    expect(both).toMatchObject({
      status: 'failed',
      exit_code: 1,
      outcome: 'branches-failed',
      error: {
        message: 'branch `left`: the command ended with exit code 3',
        context: { causes: [{ branch: 'left', message: 'the command ended with exit code 3' }] },
      },
      branches: {
        left: { L1: { status: 'failed', exit_code: 3 } },
        right: { R1: { status: 'completed' }, R2: { output: 'one-two\n' } },
        third: { T1: { status: 'failed', exit_code: 4 } },
      },
    });
    expect(both.branches?.['left']).not.toHaveProperty('L2');

    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'right')).toBe(1);
    expect(workspace.step('Both')).toMatchObject({ status: 'completed', exit_code: 0 });
    expect(workspace.step('Both')).not.toHaveProperty('error');
    expect(workspace.step('After').output).toBe('left|one-two|4|');
  });

  it.each([
    ['files', 'wait_for: {glob: never, timeout_sec: 1}', 1],
    ['their next attempt', 'command: ["false"], retries: {max: 1, delay_ms: 500}', 1],
    ['an agent', 'command_override: [sleep, "0.3"]', 0],
    ['the mock agent', 'provider: slow', 0],
    ['a user', 'approve: {message: "Continue?"}', 3],
  ])('with thirty branches waiting for %s causes no warning', async (_what, step, exitCode) => {
    const steps = Array.from({ length: 30 }, (_, index) => `        - {name: S${index}, ${step}}\n`);
    const workspace = new Workspace({
      'w.yaml': `providers: {slow: {adapter: mock, script: {delay_ms: 300}}}
steps:
  - name: All
    parallel:
      max_parallel: 30
      steps:
${steps.join('')}`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr.split('\n').filter((line) => line.includes('Warning'))).toEqual([]);
  });

  it('with single steps makes one branch per step; the branches run at the same time', async () => {
    const meet = (own: string, other: string) =>
      `{name: ${own}, command: [bash, -c, "touch ${own}; while [ ! -e ${other} ]; do sleep 0.01; done; echo ${own}"]}`;
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    parallel: {steps: [${meet('A', 'B')}, ${meet('B', 'A')}]}
  - name: One
    parallel: {max_parallel: 1, steps: [{name: C, command: ["true"]}, {name: D, command: ["true"]}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Both').branches).toMatchObject({
      A: { A: { output: 'A\n' } },
      B: { B: { output: 'B\n' } },
    });
    const started = startedSteps(workspace);
    expect(started.slice(2)).toEqual(['One/C/C', 'One/D/D']);
  });

  it('hides running branches from each other', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    parallel:
      steps:
        - {name: A, command: [echo, a]}
        - {name: B, command: [echo, "\${steps.A.output}"]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('error[template/step-not-visible]');
  });
});
