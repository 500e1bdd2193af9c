import { describe, expect, it } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';

const loop = (rest: string) => `  - name: Each
    for_each:
      items: [a, b, c]
      on_item_failure: continue
${rest}      steps:
        - {name: First, command: [echo, "first \${item}"]}
        - {name: Last, command: [bash, -c, "echo '{\\"n\\":\\"'\${item}'\\"}'; test \${item} != b"], output_capture: json}
        - {name: Never, when: {equals: {left: x, right: y}}, command: [echo, never]}
    on: {always: {goto: After}}
`;

describe('the results of a loop', () => {
  it.each([
    ['one after the other', ''],
    ['in parallel', '      max_parallel: 3\n'],
  ])('of items that run %s are a list in item order', async (_, rest) => {
    const workspace = new Workspace({
      'w.yaml': `steps:
${loop(rest)}  - {name: After, command: [echo, "\${steps.Each.results}"]}
  - {name: One, command: [echo, "\${steps.Each.results.2.json.n} \${steps.Each.results.1.status}"]}
`,
    });
    await workspace.run(['run', 'w.yaml']);
    expect(JSON.parse(workspace.step('After').output ?? '')).toEqual([
      { item: 'a', status: 'completed', json: { n: 'a' } },
      { item: 'b', status: 'failed', json: { n: 'b' } },
      { item: 'c', status: 'completed', json: { n: 'c' } },
    ]);
    expect(workspace.step('One').output).toBe('c failed\n');
    const whole = workspace.step('After').output;
    expect(
      await workspace.run(['run-step', 'After', '--workflow', 'w.yaml', '--from-run', 'last']),
    ).toMatchObject({ exitCode: 0 });
    expect(workspace.step('After').output).toBe(whole);
  });

  it('can be looped over, compared, and returned as outputs; the last step that ran counts', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    for_each:
      items: [a, b]
      max_parallel: 2
      steps:
        - {name: Say, command: [echo, "say \${item}"]}
        - {name: Never, when: {equals: {left: x, right: y}}, command: [echo, never]}
  - name: Again
    for_each:
      items_from: steps.Each.results
      as: result
      steps:
        - name: Use
          when: {equals: {left: "\${steps.Each.results.0.output}", right: say a}}
          command: [bash, -c, "echo \${result.item} \${result.status} \${result.output} >> used"]
outputs: {all: "\${steps.Again.results}"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('used')).toBe('a completed say a\nb completed say b\n');
    const ended = workspace.journal().at(-1) as unknown as { readonly output: unknown };
    expect(ended.output).toMatchObject({
      outputs: {
        all: [
          { item: { item: 'a', status: 'completed', output: 'say a' }, status: 'completed', output: '' },
          { item: { item: 'b', status: 'completed', output: 'say b' }, status: 'completed', output: '' },
        ],
      },
    });
  });

  it('says which items were not started after a failure', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    allow_failure: true
    for_each: {items: [a, b, c], steps: [{name: Try, command: [test, "\${item}", "=", a]}]}
  - {name: After, command: [echo, "\${steps.Each.results}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(workspace.step('After').output ?? '')).toEqual([
      { item: 'a', status: 'completed', output: '' },
      { item: 'b', status: 'failed', output: '' },
      { item: 'c', status: 'skipped' },
    ]);
  });

  it('are an error where an output in them was truncated, and only there', async () => {
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false
steps:
  - name: Each
    for_each:
      items: [10, 10000]
      steps: [{name: Say, command: [bash, -c, "head -c \\"$1\\" /dev/zero | tr '\\\\0' x", bash, "\${item}"]}]
  - {name: Whole, command: [echo, "\${steps.Each.results}"]}
  - {name: Loop, for_each: {items_from: steps.Each.results, steps: [{name: In, command: ["true"]}]}}
  - {name: Cut, command: [echo, "\${steps.Each.results.1.output}"]}
  - {name: Fine, command: [echo, "\${steps.Each.results.0.output} \${steps.Each.results.1.status}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Whole').error?.message).toBe(
      '`steps.Each.results` contains a truncated output, that of `1`: let its last step capture `json`, or write an `output_file`',
    );
    expect(workspace.step('Loop').status).toBe('failed');
    expect(workspace.step('Cut').status).toBe('failed');
    expect(workspace.step('Fine').output).toBe('xxxxxxxxxx completed\n');
  });

  it('are the same after a resume, and are written neither to the journal nor to the state', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Each
    for_each: {items: [a, b], max_parallel: 2, steps: [{name: Say, command: [bash, -c, "echo unmistakable-\${item} | tee -a said"]}]}
  - {name: Test, command: [test, -e, fixed]}
  - {name: After, command: [test, "\${steps.Each.results.0.output} \${steps.Each.results.1.output}", "=", "unmistakable-a unmistakable-b"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('said').split('\n').sort()).toEqual(['', 'unmistakable-a', 'unmistakable-b']);
    const journal = JSON.stringify(
      workspace.journal().filter((event) => !JSON.stringify(event).includes('"After"')),
    );
    expect(journal.split('unmistakable-a\\\\n').length + journal.split('unmistakable-a\\n').length).toBe(3);
  });
});

describe('the results of a `parallel`', () => {
  it('are found by the name of the branch', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    allow_failure: true
    parallel:
      branches:
        - name: left
          steps: [{name: L1, command: [echo, one]}, {name: L2, command: [echo, two]}]
        - name: right
          steps: [{name: R1, command: [bash, -c, "echo broken; exit 3"]}]
  - {name: After, command: [echo, "\${steps.Both.results.left.output} \${steps.Both.results.right.status}"]}
  - {name: All, command: [echo, "\${steps.Both.results}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('After').output).toBe('two failed\n');
    expect(JSON.parse(workspace.step('All').output ?? '')).toEqual({
      left: { status: 'completed', output: 'two' },
      right: { status: 'failed', output: 'broken' },
    });
    const all = workspace.step('All').output;
    await workspace.run(['run-step', 'All', '--workflow', 'w.yaml', '--from-run', 'last']);
    expect(workspace.step('All').output).toBe(all);
  });
});
