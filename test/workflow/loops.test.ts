import { describe, expect, it } from 'vitest';
import type { StateSteps, StepState } from '../../src/model/run-state.ts';
import { countOf, Workspace } from '../rig/orchestrate.ts';
import { quiet, startedSteps } from './runs.ts';

describe('`for_each`', () => {
  it('goes over the items of the file, of lines, of JSON and of found files', async () => {
    const workspace = new Workspace({
      'in/a.md': '',
      'in/b.md': '',
      'w.yaml': `context: {w: z}
steps:
  - name: Lines
    command: [printf, "l1\\nl2\\n"]
    output_capture: lines
  - name: Json
    command: [echo, '{"deep": {"files": [{"n": "j1"}, {"n": "j2"}]}}']
    output_capture: json
  - name: Wait
    wait_for: {glob: "in/*.md"}
  - name: FromItems
    for_each:
      items: [1, "two \${context.w}", {three: "\${context.w}"}, [4], true]
      steps: [{name: A, command: [echo, "\${item}"]}]
  - name: FromLines
    for_each: {items_from: steps.Lines.lines, steps: [{name: B, command: [echo, "\${item}"]}]}
  - name: FromJson
    for_each: {items_from: steps.Json.json.deep.files, as: file, steps: [{name: C, command: [echo, "\${file.n}"]}]}
  - name: FromFiles
    for_each: {items_from: steps.Wait.files, steps: [{name: D, command: [echo, "\${item}"]}]}
  - name: FromNothing
    for_each: {items: [], steps: [{name: E, command: ["false"]}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const said = (loop: string, step: string) => workspace.iterations(loop).map((each) => each[step]?.output);
    expect(said('FromItems', 'A')).toEqual(['1\n', 'two z\n', '{"three":"z"}\n', '[4]\n', 'true\n']);
    expect(said('FromLines', 'B')).toEqual(['l1\n', 'l2\n']);
    expect(said('FromJson', 'C')).toEqual(['j1\n', 'j2\n']);
    expect(said('FromFiles', 'D')).toEqual(['in/a.md\n', 'in/b.md\n']);
    expect(workspace.state().steps['FromNothing']).toEqual([]);
    expect(workspace.state().for_each['FromNothing']).toMatchObject({
      items: [],
      completed_indices: [],
      current_index: null,
      status: 'completed',
    });
    expect(workspace.state().for_each['FromItems']).toMatchObject({
      items: [1, 'two z', { three: 'z' }, [4], true],
      completed_indices: [0, 1, 2, 3, 4],
      current_index: null,
    });
  });

  it('whose pointer leads to nothing or to no array fails with exit code 2', async () => {
    const loop = (name: string, pointer: string) =>
      `  - name: ${name}\n    for_each: {items_from: ${pointer}, steps: [{name: In${name}, command: [touch, made]}]}\n    on: {failure: {goto: ${name === 'A' ? 'B' : name === 'B' ? 'C' : '_end'}}}\n`;
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: X
    command: [echo, '{"text": "t", "o": {}}']
    output_capture: json
${loop('A', 'steps.X.json.missing')}${loop('B', 'steps.X.json.text')}${loop('C', 'steps.X.json')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const error = (name: string) => workspace.step(name);
    expect(error('A')).toMatchObject({
      exit_code: 2,
      outcome: 'bad-pointer',
      error: {
        message: '`steps.X.json.missing` points at nothing',
        context: { pointer: 'steps.X.json.missing' },
      },
    });
    expect(error('B')).toMatchObject({
      exit_code: 2,
      error: { message: '`steps.X.json.text` points at a value that is not an array' },
    });
    expect(error('C')).toMatchObject({ exit_code: 2 });
    expect(workspace.has('made')).toBe(false);
  });

  const withFailure = (rest: string, extra = '') => `steps:
  - name: Loop
    for_each:
      items: [a, b, c, d]
${rest}      steps:
        - name: Work
          command: [bash, -c, "echo x >> ran-$0; test $0 != b || test -e mended", "\${item}"]
${extra}`;

  it('stops at the first item that fails, and resume goes on with it', async () => {
    const workspace = new Workspace({ 'w.yaml': withFailure('') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.list('').filter((name) => name.startsWith('ran'))).toEqual(['ran-a', 'ran-b']);
    expect(workspace.state().for_each['Loop']).toMatchObject({
      completed_indices: [0],
      current_index: 1,
      status: 'failed',
      exit_code: 1,
      error: { context: { causes: [{ branch: 'Loop/1', message: 'the command ended with exit code 1' }] } },
    });
    workspace.write({ mended: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(['a', 'b', 'c', 'd'].map((item) => countOf(workspace, `ran-${item}`))).toEqual([1, 2, 1, 1]);
    const loop = workspace.state().for_each['Loop'];
    expect(loop).toMatchObject({ completed_indices: [0, 1, 2, 3], current_index: null, status: 'completed' });
    expect(loop).not.toHaveProperty('error');
    expect(workspace.iterations('Loop').map((each) => each['Work']?.status)).toEqual([
      ...['completed', 'completed', 'completed', 'completed'],
    ]);
  });

  it('goes on past a failed item with `on_item_failure: continue`, and has failed at the end', async () => {
    for (const rest of ['', '      max_parallel: 2\n']) {
      const workspace = new Workspace({ 'w.yaml': withFailure(`      on_item_failure: continue\n${rest}`) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
      expect([...(workspace.state().for_each['Loop']?.completed_indices ?? [])].sort()).toEqual([0, 2, 3]);
      expect(workspace.state().for_each['Loop']).toMatchObject({ current_index: 1, status: 'failed' });
      workspace.write({ mended: '' });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
      expect(['a', 'b', 'c', 'd'].map((item) => countOf(workspace, `ran-${item}`))).toEqual([1, 2, 1, 1]);
    }
  });

  it('works on `max_parallel` items at once, and on no more', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5, 6]
      max_parallel: 3
      steps:
        - name: Meet
          # The first three wait for each other; all note how many are at work.
          command:
            - bash
            - -c
            - |
              mkdir at-work.$0; ls -d at-work.* | wc -l >> counts
              if [ $0 -le 3 ]; then while [ ! -e all ] && [ $(ls -d at-work.* | wc -l) -lt 3 ]; do sleep 0.01; done; touch all; fi
              rmdir at-work.$0
            - "\${item}"
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const counts = workspace.read('counts').trim().split('\n').map(Number);
    expect(Math.max(...counts)).toBe(3);
    expect(counts).toHaveLength(6);
  });

  const queue = (rest: string) => `steps:
  - name: List
    command: [bash, -c, "find inbox -name '*.task' | sort"]
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: task
${rest}      on_item_complete:
        success: {move_to: "processed/\${steps.Check.output}"}
        failure: {move_to: "failed/\${loop.index}-\${loop.total}"}
      steps:
        - name: Check
          command: [bash, -c, "echo x >> tries; grep -q good $0 && printf '%s' $(basename $0 .task)", "\${task}"]
`;

  it('moves each item when it is done, never over another file, and does not try a quarantined one again', async () => {
    for (const rest of ['', '      max_parallel: 3\n']) {
      const workspace = new Workspace({
        'inbox/a.task': 'good a',
        'inbox/b.task': 'bad b',
        'inbox/c.task': 'good c',
        'processed/a/a.task': 'an older a',
        'w.yaml': queue(rest),
      });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
      expect(workspace.list('inbox')).toEqual([]);
      expect(workspace.read('processed/a/a.task')).toBe('an older a');
      const moved = workspace.list('processed/a').find((name) => name !== 'a.task');
      expect(workspace.read(`processed/a/${moved}`)).toBe('good a');
      expect(workspace.read('processed/c/c.task')).toBe('good c');
      expect(workspace.read('failed/1-3/b.task')).toBe('bad b');
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
      expect(countOf(workspace, 'tries')).toBe(3);
      expect(workspace.state().for_each['Each']).toMatchObject({ status: 'failed', current_index: 1 });
    }
  });

  it('fails an item whose file cannot be moved, and resume moves it without doing its work again', async () => {
    const workspace = new Workspace({
      'inbox/a.task': 'good a',
      processed: 'a file, not a folder',
      'w.yaml': queue(''),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().for_each['Each']?.error?.message).toContain('branch `Each/0`');
    expect(workspace.has('inbox/a.task')).toBe(true);
    workspace.remove('processed');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('processed/a/a.task')).toBe('good a');
    expect(countOf(workspace, 'tries')).toBe(1);
  });
});

describe('`parallel`', () => {
  const branches = `steps:
  - name: Both
    parallel:
      branches:
        - name: left
          steps:
            - {name: L1, command: [bash, -c, "test -e mended || exit 3"]}
            - {name: L2, command: [echo, left]}
        - name: right
          steps:
            - {name: R1, command: [bash, -c, "echo x >> right; echo one"]}
            - {name: R2, command: [echo, "\${steps.R1.output}two"]}
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
        right: { R1: { status: 'completed' }, R2: { output: 'one\ntwo\n' } },
        third: { T1: { status: 'failed', exit_code: 4 } },
      },
    });
    expect(both.branches?.['left']).not.toHaveProperty('L2');

    workspace.write({ mended: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'right')).toBe(1);
    expect(workspace.step('Both')).toMatchObject({ status: 'completed', exit_code: 0 });
    expect(workspace.step('Both')).not.toHaveProperty('error');
    expect(workspace.step('After').output).toBe('left\n|one\ntwo\n|4|');
  });

  it.each([
    ['files', 'wait_for: {glob: never, timeout_sec: 1}', 1],
    ['their next try', 'command: ["false"], retries: {max: 1, delay_ms: 500}', 1],
    ['an agent', 'command_override: [sleep, "0.3"]', 0],
    ['the mock agent', 'provider: slow', 0],
    ['a person', 'approve: {message: "Go on?"}', 3],
  ])(
    'of thirty branches that wait for %s side by side is no cause for a warning',
    async (_what, step, exitCode) => {
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
    },
  );

  it('of single steps is one branch a step; the branches really run side by side', async () => {
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

  it('lets nobody look into another branch while it runs', async () => {
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

  it('goes on until the condition, which sees the inner steps, holds; what follows sees the last round', async () => {
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

  it('that is used up fails with outcome `exhausted`; a raised limit goes on with the next round', async () => {
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

  it('that is used up goes on with `on_exhausted: continue`', async () => {
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

  it('ends at a step of a round that fails', async () => {
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
});

describe('`call`', () => {
  it('runs another workflow with its own context and steps, and gives its outputs back as JSON', async () => {
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
    expect(workspace.step('After').output).toBe('hello ann|for ann|hello deep bob|outside\n|');
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

  it('fails where the other workflow fails, runs its `finally`, and is gone on with inside', async () => {
    const workspace = new Workspace({
      'inner.yaml': `steps:
  - {name: One, command: [bash, -c, "echo x >> one"]}
  - {name: Two, command: [test, -e, mended]}
finally:
  - {name: Tidy, command: [bash, -c, "echo x >> tidy"]}
`,
      'w.yaml': `steps:\n  - {name: C, call: {workflow: inner.yaml}}\n${quiet('After')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('C')).toMatchObject({ status: 'failed', outcome: 'exit-code' });
    workspace.write({ mended: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(['one', 'tidy'].map((name) => countOf(workspace, name))).toEqual([1, 2]);
    expect(workspace.step('C')).toMatchObject({ status: 'completed', json: {} });
  });
});

describe('blocks inside blocks', () => {
  it('of every kind work, and each step stands in state where it belongs', async () => {
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
      ...['ya\n|0|done|', 'yb\n|0|done|'],
    ]);
  });

  it('keep the steps of a `for_each` to themselves', async () => {
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
