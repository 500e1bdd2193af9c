import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../../rig/orchestrate.ts';

describe('`repeat`', () => {
  const counting = (until: string, rest = '') => `steps:
  - name: Again
    repeat:
${rest}      until: ${until}
      steps:
        - {name: Count, command: [bash, -c, "echo x >> n; wc -l < n | tr -d '\\\\n'"]}
  - name: After
    command: [printf, "%s", "\${steps.Count.output}, \${steps.Again.outcome}"]
`;

  it('repeats until the condition, which sees the inner steps, holds; later steps see the last iteration', async () => {
    const workspace = new Workspace({
      'w.yaml': counting('{equals: {left: "${steps.Count.output}", right: "3"}}', '      delay_sec: 0.01\n'),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Again')).toMatchObject({
      status: 'completed',
      outcome: 'done',
      iterations: [{ Count: { output: '1' } }, { Count: { output: '2' } }, { Count: { output: '3' } }],
    });
    expect(workspace.step('After').output).toBe('3, done');
    expect(workspace.journal().filter((event) => event.type === 'sleep-ended')).toHaveLength(2);
  });

  it('fails with outcome `exhausted` at its limit; with a higher limit, resume continues with the next iteration', async () => {
    const limited = (max: number) => counting('{exists: never}', `      max_iterations: ${max}\n`);
    const workspace = new Workspace({ 'w.yaml': limited(2) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Again')).toMatchObject({
      status: 'failed',
      exit_code: 1,
      outcome: 'exhausted',
      error: { message: 'the condition was still false after 2 iterations' },
    });
    workspace.write({ 'w.yaml': limited(3), never: '' });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'n')).toBe(3);
    expect(workspace.step('After').output).toBe('3, done');
  });

  it('continues at its limit with `on_exhausted: continue`', async () => {
    const workspace = new Workspace({
      'w.yaml': counting('{exists: never}', '      max_iterations: 2\n      on_exhausted: continue\n'),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Again')).toMatchObject({
      status: 'completed',
      exit_code: 0,
      outcome: 'exhausted',
    });
    expect(workspace.step('After').output).toBe('2, exhausted');
  });

  it('ends at a failed step', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Again
    repeat:
      until: {exists: never}
      steps: [{name: A, command: [bash, -c, "echo x >> n; test $(wc -l < n) -lt 2"]}]
    on: {failure: {goto: After}}
  - name: After
    command: [echo, "\${steps.A.exit_code}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'n')).toBe(2);
    expect(workspace.step('Again')).toMatchObject({ status: 'failed', outcome: 'exit-code' });
    expect(workspace.step('After').output).toBe('1\n');
  });

  it('lets a step read what a later step said in an earlier iteration, also when the run is resumed', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Again
    repeat:
      until: {exists: "heard-3"}
      steps:
        - {name: Work, command: [bash, -c, 'touch "heard-$1"; echo "$1" >> heard', _, "\${steps.Review.output:-0}"]}
        - {name: Review, command: [bash, -c, 'echo x >> n; wc -l < n | tr -d " "']}
        - {name: Gate, command: [bash, -c, "test -e open || test $(wc -l < n) -ne 2"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ open: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('heard')).toBe('0\n1\n2\n3\n');
  });
});
