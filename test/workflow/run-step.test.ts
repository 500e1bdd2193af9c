import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';
import { startedSteps } from './runs.ts';

const yaml = `context: {who: nobody}
steps:
  - {name: First, command: [bash, -c, "echo x >> first; echo '{\\"n\\": 3}'"], output_capture: json}
  - name: Both
    parallel:
      steps:
        - {name: Left, command: [echo, left]}
  - name: Loop
    for_each: {items: [a], steps: [{name: In, command: [echo, in]}]}
  - name: Second
    when: {exists: never}
    command: [printf, "%s|", "\${context.who}", "\${steps.First.json.n}", "\${steps.Left.output}"]
    on: {success: {goto: _end}}
  - {name: Third, command: ["true"]}
finally:
  - {name: Tidy, command: [touch, tidied]}
`;

describe('`run-step`', () => {
  it('runs only one step, whatever its `when`, with the results of an earlier run', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    workspace.remove('tidied');
    const flags = ['--workflow', 'w.yaml', '--context', 'who=ann'];
    const ended = await workspace.run(['run-step', 'Second', ...flags, '--from-run', 'last']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(startedSteps(workspace)).toEqual(['Second']);
    expect(workspace.step('Second').output).toBe('ann|3|left|');
    expect(countOf(workspace, 'first')).toBe(1);
    expect(workspace.has('tidied')).toBe(false);
    expect(workspace.runs()).toHaveLength(2);

    // Without that run there are no results.
    const without = await workspace.run(['run-step', 'Second', ...flags]);
    expect([without.exitCode, without.stderr]).toEqual([
      2,
      'error: `Second` needs the results of `First` and `Left`\nhelp: take them from an earlier run: `--from-run <run>`\n',
    ]);
    expect(workspace.runs()).toHaveLength(2);
    expect(await workspace.run(['run-step', 'Tidy', ...flags])).toMatchObject({ exitCode: 0 });
    expect(workspace.has('tidied')).toBe(true);
  });

  it('lists the steps', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    const near = await workspace.run(['run-step', 'Secnd', '--workflow', 'w.yaml']);
    expect([near.exitCode, near.stderr]).toEqual([
      2,
      'error: step `Secnd` not found in `w.yaml`\nhelp: did you mean `Second`?\n',
    ]);
    const unknown = await workspace.run(['run-step', 'First', '--workflow', 'w.yaml', '--from-run', 'last']);
    expect(unknown.exitCode).toBe(2);
    expect(workspace.runs()).toEqual([]);
  });

  it.each(['Use', 'Each/0/Use', 'Node', 'Deep'])('says where a step inside another is: %s', async (step) => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    for_each:
      items: [a]
      steps:
        - {name: Use, command: [echo, "\${item}"]}
        - {name: Both, parallel: {branches: [{name: one, steps: [{name: Deep, command: ["true"]}]}]}}
        - {name: Net, graph: {steps: [{name: Node, command: ["true"]}]}}
`,
    });
    const ended = await workspace.run(['run-step', step, '--workflow', 'w.yaml']);
    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      `error: \`${step}\` is inside \`Each\`, and only a step of the top level can be run alone\nhelp: run \`Each\` instead, or resume or fork a run: its completed steps are not repeated\n`,
    ]);
    expect(workspace.runs()).toEqual([]);
  });

  it('can read how often another step was tried', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Shaky, command: [bash, -c, "echo x >> tries; test $(wc -l < tries) -gt 2"], retries: {max: 3, delay_ms: 0}}
  - {name: Say, command: [bash, -c, 'echo "tried \${steps.Shaky.attempts} times" > said']}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.read('said')).toBe('tried 3 times\n');
  });
});
