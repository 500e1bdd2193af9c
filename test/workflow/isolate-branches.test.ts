import { describe, expect, it } from 'vitest';
import { repository } from './isolated-repository.ts';

describe('`isolate` on items and branches', () => {
  it('merges items in their order, whatever order they end in', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Each
    isolate: {commit: true}
    for_each:
      items: [a, b, c]
      max_parallel: 3
      steps:
        - name: Write
          script: |
            echo \${item} > \${item}.txt
            if [ \${item} = a ]; then while ! test -e ../../../../../ended; do sleep 0.02; done; fi
            if [ \${item} = c ]; then touch ../../../../../ended; fi
        - {name: Read, command: [cat, "\${item}.txt"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.git('log', '--format=%s', '--reverse')).toBe(
      'first\nEach/0 (a)\nEach/1 (b)\nEach/2 (c)\n',
    );
    expect(['a', 'b', 'c'].map((name) => workspace.read(`${name}.txt`))).toEqual(['a\n', 'b\n', 'c\n']);
    workspace.nothingIsLeft();
  });

  it('items that start together start with the same files, however soon the first is merged', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Each
    isolate: worktree
    for_each:
      items: [a, b, c, d, e, f]
      max_parallel: 6
      steps:
        - {name: Write, script: "ls > seen-\${item}.txt"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    for (const item of 'abcdef')
      expect(workspace.read(`seen-${item}.txt`)).toBe(`seen-${item}.txt\nw.yaml\n`);
    workspace.nothingIsLeft();
  });

  it('one after the other, an item sees what the item before has merged', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Each
    isolate: worktree
    for_each:
      items: [a, b, c]
      steps:
        - {name: Write, script: "echo \${item} >> list.txt"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('list.txt')).toBe('a\nb\nc\n');
    workspace.nothingIsLeft();
  });

  it('a conflict fails its item and not the others', async () => {
    const workspace = repository({
      'shared.txt': 'base\n',
      'w.yaml': `steps:
  - name: Both
    isolate: worktree
    parallel:
      branches:
        - {name: one, steps: [{name: One, script: "echo 1 > shared.txt; touch ../../../../../one; while ! test -e ../../../../../two; do sleep 0.02; done"}]}
        - {name: two, steps: [{name: Two, script: "echo 2 > shared.txt; touch ../../../../../two; while ! test -e ../../../../../one; do sleep 0.02; done"}]}
        - {name: three, steps: [{name: Three, script: "echo 3 > three.txt"}]}
    on: {failure: {goto: After}}
  - {name: After, command: [echo, "\${steps.Both.unmerged.0.item}", "\${steps.Both.unmerged.0.branch}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('shared.txt')).toBe('1\n');
    expect(workspace.read('three.txt')).toBe('3\n');
    expect(workspace.step('After').output).toBe(`two orchestrate/${workspace.runs()[0]}/Both.two\n`);
    expect(workspace.git('branch', '--list', 'orchestrate/*').trim().split('\n')).toHaveLength(1);
  });

  it('a step of a graph sees the merged changes of those it needs', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: All
    isolate: worktree
    graph:
      steps:
        - {name: A, script: "echo a > a.txt"}
        - {name: B, script: "echo b > b.txt"}
        - {name: C, needs: [A, B], script: "cat a.txt b.txt > c.txt"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('c.txt')).toBe('a\nb\n');
    workspace.nothingIsLeft();
  });

  it('`join: any` merges the first and drops the others', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Race
    isolate: worktree
    parallel:
      join: any
      branches:
        - {name: slow, steps: [{name: Slow, script: "echo slow > won.txt; sleep 600"}]}
        - {name: quick, steps: [{name: Quick, script: "echo quick > won.txt"}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('won.txt')).toBe('quick\n');
    workspace.nothingIsLeft();
  });

  it('inside isolated items, a step has a worktree of the worktree, and `approve` shows the diff', async () => {
    const workspace = repository({
      'w.yaml': `steps:
  - name: Each
    isolate: {commit: true}
    for_each:
      items: [a]
      steps:
        - {name: Outer, script: "echo outer > outer.txt"}
        - {name: Inner, isolate: worktree, script: "cat outer.txt > inner.txt"}
        - {name: Check, command: [cat, inner.txt]}
        - {name: Ask, approve: {message: Good?, show: diff}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect((await workspace.run(['diff', 'last', 'Each/0'])).stdout).toContain('+++ b/inner.txt');
    await workspace.run(['approve', 'last', 'Ask', '--choose', 'approve']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.git('log', '-1', '--format=%s', '--name-only')).toBe(
      'Each/0 (a)\n\ninner.txt\nouter.txt\n',
    );
    workspace.nothingIsLeft();
  });
});
