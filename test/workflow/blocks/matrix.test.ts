import { describe, expect, it } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';

describe('`matrix`', () => {
  it('runs its steps for every combination, which is shown by its values', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {nodes: [20, 22]}
steps:
  - name: Each
    for_each:
      matrix: {os: [linux, mac], node: "\${context.nodes}"}
      steps:
        - {name: Try, command: [bash, -c, "echo \${loop.index}/\${loop.total} \${matrix.os} \${item.node} >> tried"]}
        - {name: Bad, command: [test, "\${matrix.os}\${matrix.node}", "!=", mac20]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.read('tried')).toBe('0/4 linux 20\n1/4 linux 22\n2/4 mac 20\n');
    expect(ended.stderr).toContain('os=mac node=20');
    expect((await workspace.run(['show', 'last'])).stdout).toContain('[2] os=mac node=20');
    const report = await workspace.run(['report', 'last', '--format', 'md']);
    expect(report.stdout).toContain('os=mac node=20');
  });

  it('gives a nested loop the number and the item of the loops around it', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: A
    for_each:
      items: [x, y]
      steps:
        - name: B
          for_each:
            matrix: {os: [linux]}
            steps:
              - name: C
                repeat:
                  until: {equals: {left: a, right: a}}
                  steps:
                    - name: D
                      command: [bash, -c, "echo \${loop.index} \${loop.outer.index} \${loop.outer.item.os} \${loop.outer.outer.item} \${loop.outer.outer.total} >> seen"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('seen')).toBe('0 0 linux x 2\n0 0 linux y 2\n');
  });

  it('with a value that is not a list, or with too many combinations, fails before it starts', async () => {
    const many = `[${Array.from({ length: 400 }, (_, index) => index).join(', ')}]`;
    const workspace = new Workspace({
      'w.yaml': `context: {one: x, many: ${many}}
strict_flow: false
steps:
  - {name: A, for_each: {matrix: {a: "\${context.one}"}, steps: [{name: B, command: ["true"]}]}}
  - {name: C, for_each: {matrix: {a: "\${context.many}", b: "\${context.many}"}, steps: [{name: D, command: ["true"]}]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('A').error?.message).toContain('a value that is not an array');
    expect(workspace.step('C').error?.message).toBe('the matrix has more than 100000 combinations');
  });
});
