import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../../rig/orchestrate.ts';

describe('`for_each`', () => {
  it('starts the next item as soon as one ends: a slow item does not block others', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5, 6]
      max_parallel: 2
      steps:
        - name: Work
          command:
            - bash
            - -c
            - 'if [ \${item} = 1 ]; then until [ -e done-6 ]; do sleep 0.02; done; fi; touch done-\${item}'
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.list('.').filter((name) => name.startsWith('done-'))).toHaveLength(6);
  });

  it('starts no further item after a failure, and lets running ones finish', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5]
      max_parallel: 2
      on_item_failure: stop
      steps:
        - name: Work
          command:
            - bash
            - -c
            - |
              touch begun-\${item}
              failed() { grep -qs '"type":"step-ended".*"key":"Loop/1/Work"' .orchestrate/runs/*/journal.jsonl; }
              if [ \${item} = 1 ]; then until failed; do sleep 0.02; done; fi
              if [ \${item} = 2 ]; then exit 1; fi
              touch done-\${item}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const made = workspace.list('.').filter((name) => /^(?:begun|done)-/.test(name));
    expect(made).toEqual(['begun-1', 'begun-2', 'done-1']);
  });

  it('iterates over items of the file, lines, JSON and found files', async () => {
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

  it('fails with exit code 2 if its pointer leads to nothing or not to an array', async () => {
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
        message: '`steps.X.json.missing` points to a value that does not exist',
        context: { pointer: 'steps.X.json.missing' },
      },
    });
    expect(error('B')).toMatchObject({
      exit_code: 2,
      error: { message: '`steps.X.json.text` points to a value that is not an array' },
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
          command: [bash, -c, "echo x >> ran-$0; test \\"$0\\" != b || test -e fixed", "\${item}"]
${extra}`;

  it('stops at the first item that fails, and resume continues with it', async () => {
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
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(['a', 'b', 'c', 'd'].map((item) => countOf(workspace, `ran-${item}`))).toEqual([1, 2, 1, 1]);
    const loop = workspace.state().for_each['Loop'];
    expect(loop).toMatchObject({ completed_indices: [0, 1, 2, 3], current_index: null, status: 'completed' });
    expect(loop).not.toHaveProperty('error');
    expect(workspace.iterations('Loop').map((each) => each['Work']?.status)).toEqual([
      ...['completed', 'completed', 'completed', 'completed'],
    ]);
  });

  it('continues after a failed item with `on_item_failure: continue`, and fails at the end', async () => {
    for (const rest of ['', '      max_parallel: 2\n']) {
      const workspace = new Workspace({ 'w.yaml': withFailure(`      on_item_failure: continue\n${rest}`) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
      expect([...(workspace.state().for_each['Loop']?.completed_indices ?? [])].sort()).toEqual([0, 2, 3]);
      expect(workspace.state().for_each['Loop']).toMatchObject({ current_index: 1, status: 'failed' });
      workspace.write({ fixed: '' });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
      expect(['a', 'b', 'c', 'd'].map((item) => countOf(workspace, `ran-${item}`))).toEqual([1, 2, 1, 1]);
    }
  });

  it('processes at most `max_parallel` items at once', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5, 6]
      max_parallel: 3
      steps:
        - name: Meet
          # All note how many are at work; the first three meet before, and part when each of them has noted it.
          command:
            - bash
            - -c
            - |
              mkdir at-work.$0
              if [ "$0" -le 3 ]; then while [ $(ls -d at-work.* | wc -l) -lt 3 ]; do sleep 0.01; done; fi
              ls -d at-work.* | wc -l >> counts
              if [ "$0" -le 3 ]; then while [ $(wc -l < counts) -lt 3 ]; do sleep 0.01; done; fi
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

  it('moves each finished item, never over another file, and does not retry a failed one that was moved', async () => {
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

  it('fails an item whose file cannot be moved, and resume moves it without repeating its work', async () => {
    const workspace = new Workspace({
      'inbox/a.task': 'good a',
      processed: 'a file, not a folder',
      'w.yaml': queue(''),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().for_each['Each']?.error?.message).toContain('item 0 (inbox/a.task): ');
    expect(workspace.has('inbox/a.task')).toBe(true);
    workspace.remove('processed');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('processed/a/a.task')).toBe('good a');
    expect(countOf(workspace, 'tries')).toBe(1);
  });
});

describe('a run of an older version, killed with parallel items', () => {
  it('is resumed without repeating completed work', async () => {
    const runId = '20261116T155603Z-jgyo8z';
    const kept = path.join(
      path.dirname(fileURLToPath(import.meta.url)),
      '../../journals/parallel-version-1.jsonl',
    );
    const workspace = new Workspace({
      [`.orchestrate/runs/${runId}/journal.jsonl`]: fs.readFileSync(kept, 'utf8'),
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [1, 2, 3, 4, 5]
      max_parallel: 2
      on_item_failure: continue
      steps:
        - name: Work
          command: [bash, -c, "echo \${item} >> worked; if [ \${item} = 3 ] && [ ! -e go ]; then touch held; sleep 60; fi"]
`,
      go: '',
    });
    expect(await workspace.run(['resume', 'last', '--trust'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('worked')).toBe('3\n');
    expect(workspace.iterations('Loop').map((item) => item['Work']?.status)).toEqual(
      Array.from({ length: 5 }, () => 'completed'),
    );
  });
});
