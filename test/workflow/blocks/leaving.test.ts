import { describe, expect, it } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';
import { markedProcesses, startedSteps } from '../runs.ts';

describe('`break`', () => {
  it('leaves the innermost loop once its condition is true', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Outer
    for_each:
      items: [1, 2]
      steps:
        - name: Inner
          for_each:
            items: [a, b, c]
            steps:
              - {name: Try, command: [echo, "\${item}"]}
              - {name: Found, break: {when: {equals: {left: "\${steps.Try.output}", right: b}}}}
              - {name: More, command: ["true"]}
  - name: Again
    repeat:
      max_iterations: 3
      until: {exists: nothing}
      steps: [{name: Turn, command: ["true"]}, {name: Enough, when: {equals: {left: "\${iteration}", right: 1}}, break: {}}]
  - name: Side
    for_each:
      items: [a, b, c, d]
      max_parallel: 2
      steps:
        - {name: Both, parallel: {steps: [{name: Stop, break: {}}, {name: Go, command: ["true"]}]}}
  - {name: After, command: [echo, "\${steps.Side.results}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const inner = ['Inner/0/Try', 'Inner/0/More', 'Inner/1/Try'];
    const side = startedSteps(workspace).filter((key) => key.startsWith('Side'));
    expect(startedSteps(workspace).filter((key) => !key.startsWith('Side'))).toEqual([
      ...inner.map((key) => `Outer/0/${key}`),
      ...inner.map((key) => `Outer/1/${key}`),
      'Again/0/Turn',
      'Again/1/Turn',
      'After',
    ]);
    expect(side.sort()).toEqual(['Side/0/Both/Go/Go', 'Side/1/Both/Go/Go']);
    expect(JSON.parse(workspace.step('After').output ?? '')).toMatchObject([
      { item: 'a', status: 'completed' },
      { item: 'b', status: 'completed' },
      { item: 'c', status: 'skipped' },
      { item: 'd', status: 'skipped' },
    ]);
    expect(workspace.step('Again')).toMatchObject({ status: 'completed', outcome: 'done' });
  });

  it('with several slots lets the items that are running finish, and starts no other', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Side
    for_each:
      items: [slow, last, never]
      max_parallel: 2
      steps:
        - name: Wait
          when: {equals: {left: "\${item}", right: slow}}
          command: [bash, -c, "until grep -q 'leaves the loop' \${run.root}/journal.jsonl; do sleep 0.05; done"]
        - {name: Stop, break: {when: {equals: {left: "\${item}", right: last}}}}
        - {name: More, command: [echo, "\${item}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(startedSteps(workspace)).toEqual(['Side/0/Wait', 'Side/0/More']);
    expect(workspace.state().for_each).toMatchObject({
      Side: { status: 'completed', completed_indices: expect.arrayContaining([0, 1]) },
    });
  });
});

describe('`end`', () => {
  const ending = (status: string) => `steps:
  - {name: First, command: ["true"]}
  - name: Both
    parallel:
      branches:
        - {name: slow, steps: [{name: Slow, command: [bash, -c, "touch begun; while :; do sleep 0.05; done"]}]}
        - name: ends
          steps:
            - {name: Wait, wait_for: {glob: begun}}
            - name: Each
              for_each: {items: [a, b], steps: [{name: Stop, end: {status: ${status}, message: "no work for \${item}"}}]}
            - {name: Never, command: [touch, never]}
  - {name: Later, command: [touch, never]}
finally: [{name: Tidy, command: [touch, tidied]}]
outputs: {first: "\${steps.First.exit_code}", later: "\${steps.Later.exit_code}"}
`;

  it('ends the run as completed, stops other branches, and runs `finally`', async () => {
    const workspace = new Workspace({ 'w.yaml': ending('completed') });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('ends the workflow as completed: no work for a');
    expect(workspace.state()).toMatchObject({ status: 'completed' });
    expect(workspace.step('Both').branches).toMatchObject({ slow: { Slow: { status: 'cancelled' } } });
    expect([workspace.has('never'), workspace.has('tidied')]).toEqual([false, true]);
    expect(workspace.journal().at(-1)).toMatchObject({ output: { outputs: { first: 0 } } });
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
  });

  it('ends the run as failed with its message; resuming is not advised, since it would end in the same way', async () => {
    const workspace = new Workspace({ 'w.yaml': ending('failed') });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.state()).toMatchObject({
      status: 'failed',
      error: {
        type: 'ended',
        message: 'no work for a',
        step: 'Both/ends/Each/0/Stop',
        resume: { type: 'restart' },
      },
    });
    expect(workspace.has('tidied')).toBe(true);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(1);
    expect(startedSteps(workspace).filter((key) => key === 'Both/slow/Slow')).toHaveLength(1);
  });

  it('in a called workflow ends only that workflow', async () => {
    const workspace = new Workspace({
      'called.yaml': `steps:
  - {name: One, command: [echo, one]}
  - {name: Stop, end: {message: enough}}
  - {name: Two, command: [echo, two]}
outputs: {one: "\${steps.One.output}", two: "\${steps.Two.output}"}
`,
      'w.yaml': `steps:
  - {name: Call, call: {workflow: called.yaml}}
  - {name: After, command: [echo, "\${steps.Call.json.one} \${steps.Call.json.two:-none}"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('After').output).toBe('one none\n');
  });

  it('does not hide a failure that nothing has handled', async () => {
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false
steps: [{name: Bad, command: ["false"]}, {name: Stop, end: {status: completed}}, {name: Never, command: [touch, never]}]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state()).toMatchObject({ status: 'failed', error: { step: 'Bad' } });
    expect(workspace.has('never')).toBe(false);
  });
});
