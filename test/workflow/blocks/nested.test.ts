import { describe, expect, it } from 'vitest';
import type { StateSteps, StepState } from '../../../src/model/run-state.ts';
import { countOf, Workspace } from '../../rig/orchestrate.ts';
import { quiet, startedSteps } from '../runs.ts';

describe('`call`', () => {
  it('runs another workflow with its own context and steps, and returns its outputs as JSON', async () => {
    const workspace = new Workspace({
      'lib/inner.yaml': `context: {who: nobody, greeting: hello}
outputs: {text: "\${steps.Greet.output}", words: "\${steps.Words.lines}", who: "for \${context.who}"}
steps:
  - {name: Greet, command: [printf, "%s %s", "\${context.greeting}", "\${context.who}"]}
  - {name: Words, command: [printf, "a\\nb\\n"], output_capture: lines}
finally:
  - {name: Tidy, command: [touch, tidied]}
`,
      'lib/outer.yaml': `context: {who: nobody}
outputs: {from: "\${steps.Deep.json.text}"}
steps:
  - name: Deep
    call: {workflow: lib/inner.yaml, context: {who: "deep \${context.who}"}}
`,
      'w.yaml': `context: {name: ann}
steps:
  - {name: Greet, command: [echo, outside]}
  - name: First
    call: {workflow: lib/inner.yaml, context: {who: "\${context.name}"}, as: greeting}
  - name: Second
    call: {workflow: lib/outer.yaml, context: {who: bob}}
  - name: After
    command: [printf, "%s|", "\${steps.First.json.text}", "\${steps.greeting.json.who}", "\${steps.Second.json.from}", "\${steps.Greet.output}"]
  - name: Each
    for_each: {items_from: steps.First.json.words, steps: [{name: Word, command: [echo, "\${item}"]}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('First')).toMatchObject({
      json: { text: 'hello ann', words: ['a', 'b'], who: 'for ann' },
      steps: { Greet: { output: 'hello ann' }, Tidy: { status: 'completed' } },
    });
    expect(workspace.step('Second')).toMatchObject({
      json: { from: 'hello deep bob' },
      steps: { Deep: { steps: { Greet: { output: 'hello deep bob' } } } },
    });
    expect(workspace.step('After').output).toBe('hello ann|for ann|hello deep bob|outside|');
    expect(workspace.iterations('Each').map(({ Word }) => Word?.output)).toEqual(['a\n', 'b\n']);
    expect(startedSteps(workspace)).toEqual([
      ...['Greet', 'First/Greet', 'First/Words', 'First/Tidy'],
      ...[
        'Second/Deep/Greet',
        'Second/Deep/Words',
        'Second/Deep/Tidy',
        'After',
        'Each/0/Word',
        'Each/1/Word',
      ],
    ]);
  });

  it('fails where the other workflow fails, runs its `finally`, and is resumed inside it', async () => {
    const workspace = new Workspace({
      'inner.yaml': `steps:
  - {name: One, command: [bash, -c, "echo x >> one"]}
  - {name: Two, command: [test, -e, fixed]}
finally:
  - {name: Tidy, command: [bash, -c, "echo x >> tidy"]}
`,
      'w.yaml': `steps:\n  - {name: C, call: {workflow: inner.yaml}}\n${quiet('After')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('C')).toMatchObject({ status: 'failed', outcome: 'exit-code' });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(['one', 'tidy'].map((name) => countOf(workspace, name))).toEqual([1, 2]);
    expect(workspace.step('C')).toMatchObject({ status: 'completed', json: {} });
  });
});

describe('blocks inside blocks', () => {
  it('of every kind work, and each step is at its place in the state', async () => {
    const workspace = new Workspace({
      'inner.yaml': `context: {w: ""}
outputs: {n: "\${steps.Loop2.exit_code}"}
steps:
  - name: Loop2
    for_each:
      items: [p, q]
      max_parallel: 2
      steps: [{name: Leaf, command: [echo, "\${context.w}\${item}"]}]
`,
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [a, b]
      steps:
        - name: Par
          parallel:
            branches:
              - name: x
                steps:
                  - name: Rep
                    repeat:
                      until: {equals: {left: "\${loop.index}", right: "1"}}
                      steps:
                        - name: Call
                          call: {workflow: inner.yaml, context: {w: "\${item}\${iteration}"}}
              - name: y
                steps: [{name: Y, command: [echo, "y\${item}"]}]
        - name: Sum
          command: [printf, "%s|", "\${steps.Y.output}", "\${steps.Call.json.n}", "\${steps.Rep.outcome}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const loop = workspace.state().steps['Loop'] as StateSteps[];
    const leaves = loop.map((iteration) => {
      const rep = (iteration['Par'] as StepState).branches?.['x']?.['Rep'] as StepState;
      return rep.iterations?.map((round) => {
        const inner = (round['Call'] as StepState).steps?.['Loop2'] as { Leaf: StepState }[];
        return inner.map(({ Leaf }) => Leaf.output);
      });
    });
    expect(leaves).toEqual([
      [
        ['a0p\n', 'a0q\n'],
        ['a1p\n', 'a1q\n'],
      ],
      [
        ['b0p\n', 'b0q\n'],
        ['b1p\n', 'b1q\n'],
      ],
    ]);
    expect(loop.map((iteration) => (iteration['Sum'] as StepState).output)).toEqual([
      ...['ya|0|done|', 'yb|0|done|'],
    ]);
  });

  it('hide the steps of a `for_each`', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each: {items: [a], steps: [{name: In, command: [echo, x]}]}
  - name: After
    command: [echo, "\${steps.In.output}"]
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('error[template/step-not-visible]');
    expect(workspace.has('.orchestrate')).toBe(false);
  });
});
