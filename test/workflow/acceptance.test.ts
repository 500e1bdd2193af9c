import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';

/** The acceptance tests of the language, each against the real binary. */
describe('workflows', () => {
  it('AT-01 lines capture: `output_capture: lines` fills `steps.X.lines`', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'steps:\n  - name: X\n    command: [printf, "one\\r\\ntwo\\nthree\\n"]\n    output_capture: lines\n',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['X']).toMatchObject({
      output_capture: 'lines',
      lines: ['one', 'two', 'three'],
      truncated: false,
    });
    expect(workspace.state().steps['X']).not.toHaveProperty('output');
  });

  it('AT-02 JSON capture: `output_capture: json` makes `steps.X.json` available', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: X
    command: [echo, '{"success": true, "n": 3, "files": ["a.py"]}']
    output_capture: json
  - name: Y
    command: [echo, "\${steps.X.json.n} \${steps.X.json.success} \${steps.X.json.files}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['X']).toMatchObject({ json: { success: true, n: 3, files: ['a.py'] } });
    expect(workspace.state().steps['X']).not.toHaveProperty('output');
    expect(workspace.state().steps['Y']).toMatchObject({ output: '3 true ["a.py"]\n' });
  });

  it('AT-03 dynamic for-each: `items_from: steps.List.lines` iterates in order', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: List
    command: [printf, "a b\\nc\\nd\\n"]
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: word
      steps:
        - name: Say
          command: [echo, "\${loop.index}/\${loop.total} \${word} \${item}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const state = workspace.state();
    expect(state.steps['Each']).toMatchObject([
      { Say: { output: '0/3 a b a b\n' } },
      { Say: { output: '1/3 c c\n' } },
      { Say: { output: '2/3 d d\n' } },
    ]);
    expect(state.for_each['Each']).toMatchObject({
      items: ['a b', 'c', 'd'],
      completed_indices: [0, 1, 2],
      current_index: null,
    });
  });

  it('AT-04 status schema: a v1 status file is written, read and checked', async () => {
    const workspace = new Workspace();
    const written = await workspace.run([
      'status',
      'write',
      '--agent',
      'engineer',
      '--step',
      'ImplementFeature',
      '--success',
      'true',
      '--output',
      'artifacts/engineer/implementation.py',
      '--metric',
      'files_modified=3',
      '--next',
      'qa=inbox/qa/review_implementation.task',
      '--message',
      'Feature implemented successfully',
    ]);
    expect(written).toMatchObject({ exitCode: 0 });
    const status = JSON.parse(workspace.read('artifacts/engineer/status.json'));
    expect(status).toMatchObject({
      schema: 'status/v1',
      agent: 'engineer',
      step: 'ImplementFeature',
      success: true,
      outputs: ['artifacts/engineer/implementation.py'],
      metrics: { files_modified: 3 },
      next_actions: [{ agent: 'qa', file: 'inbox/qa/review_implementation.task' }],
      message: 'Feature implemented successfully',
    });
    const read = await workspace.run(['status', 'read', 'artifacts/engineer/status.json', '--json']);
    expect(JSON.parse(read.stdout)).toEqual(status);
    expect(await workspace.run(['status', 'validate', 'artifacts/engineer/status.json'])).toMatchObject({
      exitCode: 0,
    });
    workspace.write({ 'bad.json': JSON.stringify({ ...status, outputs: ['/etc/passwd'] }) });
    expect(await workspace.run(['status', 'validate', 'bad.json'])).toMatchObject({ exitCode: 2 });
  });

  it('AT-05 inbox atomicity: a task is written as `*.tmp` and becomes visible as `*.task` at once', async () => {
    const workspace = new Workspace({ 'task.md': 'Review it.\n' });
    const seen = new Set<string>();
    fs.mkdirSync(path.join(workspace.folder, 'inbox', 'qa'), { recursive: true });
    const watcher = fs.watch(path.join(workspace.folder, 'inbox', 'qa'), (_event, name) => {
      if (name?.endsWith('.task') && workspace.has(`inbox/qa/${name}`)) {
        seen.add(fs.readFileSync(path.join(workspace.folder, 'inbox', 'qa', name), 'utf8'));
      }
    });
    for (let i = 0; i < 3; i += 1) {
      expect(await workspace.run(['queue', 'put', 'qa', '--file', 'task.md'])).toMatchObject({ exitCode: 0 });
    }
    watcher.close();
    const names = workspace.list('inbox/qa').filter((name) => !name.startsWith('.'));
    expect(names).toHaveLength(3);
    expect(names.every((name) => name.endsWith('.task'))).toBe(true);
    expect([...seen].every((text) => text === 'Review it.\n')).toBe(true);
  });

  it('AT-06 processed and failed: success reaches `processed/{ts}/`, failure reaches `failed/{ts}/`', async () => {
    const workspace = new Workspace({
      'inbox/engineer/good.task': 'good',
      'inbox/engineer/bad.task': 'bad',
      'w.yaml': `steps:
  - name: List
    command: [find, inbox/engineer, -name, "*.task"]
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: task
      on_item_failure: continue
      on_item_complete:
        success: {move_to: "processed/\${run.timestamp_utc}"}
        failure: {move_to: "failed/\${run.timestamp_utc}"}
      steps:
        - name: Check
          command: [grep, -q, good, "\${task}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.list('inbox/engineer')).toEqual([]);
    expect(workspace.list('processed').filter((name) => name.endsWith('.task'))).toEqual([
      expect.stringMatching(/^\d{8}T\d{6}Z\/good\.task$/),
    ]);
    expect(workspace.list('failed').filter((name) => name.endsWith('.task'))).toEqual([
      expect.stringMatching(/^\d{8}T\d{6}Z\/bad\.task$/),
    ]);
  });

  it('AT-07 no env namespace: `${env.*}` is rejected before anything starts', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - name: X\n    command: [touch, "${env.HOME}"]\n',
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('error[template/env-namespace]');
    expect(ended.stderr).toContain('w.yaml:3:');
    expect(workspace.runs()).toEqual([]);
  });

  it('AT-08 provider templates: template, defaults and parameters compose the argv', async () => {
    const workspace = new Workspace({
      'prompt.md': 'Line one.\n"Quoted" $HOME `x`\n',
      'w.yaml': `providers:
  show:
    command: [printf, "%s|", "-p", "\${PROMPT}", "--model", "\${model}", "--mode", "\${mode}"]
    defaults: {model: sonnet, mode: fast}
steps:
  - name: X
    provider: show
    provider_params: {model: opus}
    input_file: prompt.md
    output_file: out.txt
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('out.txt')).toBe('-p|Line one.\n"Quoted" $HOME `x`\n|--model|opus|--mode|fast|');
  });

  it('AT-09 command override replaces the template entirely', async () => {
    const workspace = new Workspace({
      'prompt.md': 'the prompt',
      'w.yaml': `providers:
  show:
    command: [printf, "%s|", "\${PROMPT}", "\${model}"]
    defaults: {model: sonnet}
steps:
  - name: X
    provider: show
    input_file: prompt.md
    command_override: [printf, "%s.", only, this]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['X']).toMatchObject({ output: 'only.this.' });
  });

  it('AT-10 clean processed: `--clean-processed` empties the folder', async () => {
    const workspace = new Workspace({
      'processed/20250101T000000Z/old.task': 'old',
      'w.yaml': 'steps:\n  - name: X\n    command: ["true"]\n',
    });
    expect(await workspace.run(['run', 'w.yaml', '--clean-processed'])).toMatchObject({ exitCode: 0 });
    expect(workspace.list('processed')).toEqual([]);
    expect(workspace.has('processed')).toBe(true);
  });

  it('AT-11 archive processed: `--archive-processed` makes a zip on success only', async () => {
    const workspace = new Workspace({
      'processed/20250101T000000Z/a.task': 'contents of a',
      'ok.yaml': 'steps:\n  - name: X\n    command: ["true"]\n',
      'bad.yaml': 'steps:\n  - name: X\n    command: ["false"]\n',
    });
    expect(await workspace.run(['run', 'bad.yaml', '--archive-processed', 'bad.zip'])).toMatchObject({
      exitCode: 1,
    });
    expect(workspace.has('bad.zip')).toBe(false);
    expect(await workspace.run(['run', 'ok.yaml', '--archive-processed', 'out/ok.zip'])).toMatchObject({
      exitCode: 0,
    });
    const listed = spawnSync(
      'python3',
      [
        '-c',
        'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print([(n, z.read(n).decode()) for n in z.namelist()])',
        'out/ok.zip',
      ],
      { cwd: workspace.folder, encoding: 'utf8' },
    );
    expect(listed.stdout.trim()).toBe("[('20250101T000000Z/a.task', 'contents of a')]");
    expect(await workspace.run(['run', 'ok.yaml', '--archive-processed'])).toMatchObject({ exitCode: 0 });
    expect(fs.existsSync(path.join(workspace.runFolder(), 'processed.zip'))).toBe(true);
    expect(
      (await workspace.run(['run', 'ok.yaml', '--archive-processed', 'processed/in.zip'])).exitCode,
    ).toBe(2);
  });

  it('AT-12 pointer grammar: `items_from: steps.X.json.files` iterates over the nested array', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: X
    command: [echo, '{"result": {"files": ["a", "b"]}}']
    output_capture: json
  - name: Each
    for_each:
      items_from: steps.X.json.result.files
      steps:
        - name: Say
          command: [echo, "\${item}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Each']).toMatchObject([
      { Say: { output: 'a\n' } },
      { Say: { output: 'b\n' } },
    ]);
  });

  const oversize = (flag: string) => `steps:
  - name: X
    command: [bash, -c, "printf '\\"'; head -c 1100000 /dev/zero | tr '\\\\0' x; printf '\\"'"]
    output_capture: json
${flag}`;

  it('AT-13 JSON oversize: more than 1 MiB of JSON fails with exit code 2', async () => {
    const workspace = new Workspace({ 'w.yaml': oversize('') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().steps['X']).toMatchObject({
      status: 'failed',
      exit_code: 2,
      error: { context: { reason: 'overflow' } },
    });
  });

  it('AT-14 JSON parse error flag: the same step succeeds with `allow_parse_error: true`', async () => {
    const workspace = new Workspace({ 'w.yaml': oversize('    allow_parse_error: true\n') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['X']).toMatchObject({
      status: 'completed',
      exit_code: 0,
      debug: { json_parse_error: { reason: 'overflow' } },
    });
    expect(workspace.step('X').output).toHaveLength(8192);
  });

  it('AT-15 CLI safety: `--clean-processed` fails if the processed folder is outside the workspace', async () => {
    const outside = new Workspace({ 'keep.txt': 'kept' });
    const workspace = new Workspace({
      'w.yaml': `processed_dir: ${outside.folder}\nsteps:\n  - name: X\n    command: [touch, ran]\n`,
      'link.yaml': 'processed_dir: linked\nsteps:\n  - name: X\n    command: [touch, ran]\n',
    });
    fs.symlinkSync(outside.folder, path.join(workspace.folder, 'linked'));
    expect(await workspace.run(['run', 'w.yaml', '--clean-processed'])).toMatchObject({ exitCode: 2 });
    expect(await workspace.run(['run', 'link.yaml', '--clean-processed'])).toMatchObject({ exitCode: 2 });
    expect(outside.read('keep.txt')).toBe('kept');
    expect(workspace.has('ran')).toBe(false);
    expect(workspace.runs()).toEqual([]);
  });

  const waiting = (timeout: number) => `steps:
  - name: Wait
    wait_for: {glob: "inbox/engineer/replies/*.task", timeout_sec: ${timeout}, poll_ms: 20, min_count: 2}
`;

  it('AT-16 wait for files: blocks until enough matching files appear', async () => {
    const workspace = new Workspace({ 'w.yaml': waiting(60), 'inbox/engineer/replies/b.task': 'b' });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'step-started'),
    );
    expect(run.child.exitCode).toBeNull();
    workspace.write({ 'inbox/engineer/replies/a.task': 'a' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Wait']).toMatchObject({
      exit_code: 0,
      files: ['inbox/engineer/replies/a.task', 'inbox/engineer/replies/b.task'],
    });
  });

  it('AT-17 wait timeout: no matching files give exit code 124 after the timeout', async () => {
    const workspace = new Workspace({ 'w.yaml': waiting(0.2) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().steps['Wait']).toMatchObject({
      status: 'failed',
      exit_code: 124,
      timed_out: true,
    });
  });

  it('AT-18 wait state tracking: `files`, `wait_duration` and `poll_count` are in state.json', async () => {
    const workspace = new Workspace({
      'w.yaml': waiting(60),
      'inbox/engineer/replies/a.task': 'a',
      'inbox/engineer/replies/b.task': 'b',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const step = workspace.step('Wait');
    expect(step).toMatchObject({
      files: ['inbox/engineer/replies/a.task', 'inbox/engineer/replies/b.task'],
      wait_duration: expect.any(Number),
      poll_count: expect.any(Number),
      timed_out: false,
    });
    expect(step.wait_duration).toBe((step.wait_duration_ms ?? 0) / 1000);
  });
});
