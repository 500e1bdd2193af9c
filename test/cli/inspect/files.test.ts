import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../../rig/orchestrate.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

test('a task goes through the queue: put, listed, taken once, done or failed', async () => {
  const workspace = new Workspace({ 'task.md': 'fix the login page\n' });
  const put = await workspace.run(['queue', 'put', 'engineer', '--file', 'task.md']);
  expect(put).toMatchObject({ exitCode: 0, stderr: '' });
  const task = put.stdout.trimEnd();
  expect(task).toMatch(/^inbox\/engineer\/.+\.task$/);
  expect(workspace.read(task)).toBe('fix the login page\n');
  expect((await workspace.run(['queue', 'list'])).stdout).toBe(`${task}\n`);
  expect(JSON.parse((await workspace.run(['queue', 'list', 'engineer', '--json'])).stdout)).toMatchObject([
    { agent: 'engineer', path: task },
  ]);

  const taken = (await workspace.run(['queue', 'take', 'engineer'])).stdout.trimEnd();
  expect(workspace.read(taken)).toBe('fix the login page\n');
  expect(await workspace.run(['queue', 'take', 'engineer'])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'no task waiting for `engineer`\n',
  });
  expect((await workspace.run(['queue', 'list'])).stderr).toBe('no task waiting\n');
  expect((await workspace.run(['queue', 'list', '--taken'])).stdout).toBe(`${taken}\n`);
  const done = (await workspace.run(['queue', 'done', taken])).stdout.trimEnd();
  expect((await workspace.run(['queue', 'list', 'engineer', '--taken'])).stderr).toBe('no task taken\n');
  expect(done).toMatch(/^processed\/\d{8}T\d{6}Z\/.+\.task$/);
  expect(workspace.read(done)).toBe('fix the login page\n');

  await workspace.run(['queue', 'put', 'engineer', '--file', 'task.md']);
  const bad = (await workspace.run(['queue', 'take', 'engineer', '--json'])).stdout;
  const failed = await workspace.run(['queue', 'fail', JSON.parse(bad).path]);
  expect(failed.stdout).toMatch(/^failed\//);
  expect((await workspace.run(['queue', 'list'])).stderr).toBe('no task waiting\n');
});

test('queue uses the folders of a workflow, and rejects names and paths that lead elsewhere', async () => {
  const workspace = new Workspace({
    'w.yaml': 'name: w\ninbox_dir: in\ntask_extension: .todo\nsteps:\n  - name: A\n    command: ["true"]\n',
    'bad.yaml': 'nam: w\n',
    t: 'x',
  });
  const put = await workspace.run(['queue', 'put', 'qa', '--file', 't', '--workflow', 'w.yaml']);
  expect(put.stdout).toMatch(/^in\/qa\/.+\.todo\n$/);
  expect(await workspace.run(['queue', 'put', '../x', '--file', 't'])).toMatchObject({
    exitCode: 2,
    stderr: 'error: `../x` is not an agent name; use only letters, digits, `_`, `.` and `-`\n',
  });
  const outside = path.join(temporaryFolder(), 'task');
  fs.writeFileSync(outside, '');
  expect((await workspace.run(['queue', 'done', outside])).exitCode).toBe(2);
  expect(fs.existsSync(outside)).toBe(true);
  expect((await workspace.run(['queue', 'put', 'qa', '--file', 'missing'])).stderr).toBe(
    'error: cannot read `missing`: no such file or folder (ENOENT)\n',
  );
  const invalid = await workspace.run(['queue', 'list', '--workflow', 'bad.yaml']);
  expect(invalid.exitCode).toBe(2);
  expect(invalid.stderr).toContain('bad.yaml:1:1');
});

test('a status is written to its default place, read and validated', async () => {
  const workspace = new Workspace();
  const written = await workspace.run([
    ...['status', 'write', '--agent', 'engineer', '--step', 'Build', '--success', 'true'],
    ...['--output', 'artifacts/engineer/app.py', '--metric', 'files=3', '--metric', 'fast=true'],
    ...['--metric', 'note=a=b', '--next', 'qa=inbox/qa/review.task', '--message', 'done'],
  ]);
  expect(written).toMatchObject({ exitCode: 0, stdout: 'artifacts/engineer/status.json\n', stderr: '' });
  const status = JSON.parse(workspace.read('artifacts/engineer/status.json'));
  expect(status).toEqual({
    schema: 'status/v1',
    agent: 'engineer',
    step: 'Build',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    success: true,
    exit_code: 0,
    outputs: ['artifacts/engineer/app.py'],
    metrics: { files: 3, fast: true, note: 'a=b' },
    next_actions: [{ agent: 'qa', file: 'inbox/qa/review.task' }],
    message: 'done',
  });
  const file = 'artifacts/engineer/status.json';
  expect((await workspace.run(['status', 'validate', file])).stderr).toBe(`${file} is valid\n`);
  expect(JSON.parse((await workspace.run(['status', 'read', file, '--json'])).stdout)).toEqual(status);
  expect((await workspace.run(['status', 'read', file])).stdout).toBe(`✓ engineer: Build
  ${status.timestamp}, exit code 0
  done
  output: artifacts/engineer/app.py
  files: 3
  fast: true
  note: a=b
  next: qa with inbox/qa/review.task
`);
});

test('a metric that is too large for a number is kept as text, and the file is valid', async () => {
  const workspace = new Workspace();
  const flags = [
    '--agent',
    'a',
    '--step',
    'S',
    '--success',
    'true',
    '--metric',
    'n=1e999',
    '--metric',
    'm=1e9',
  ];
  expect((await workspace.run(['status', 'write', ...flags])).exitCode).toBe(0);
  const file = 'artifacts/a/status.json';
  expect(JSON.parse(workspace.read(file))['metrics']).toEqual({ n: '1e999', m: 1e9 });
  expect(await workspace.run(['status', 'validate', file])).toMatchObject({ exitCode: 0 });
});

test('a status with paths out of the workspace is not written', async () => {
  const workspace = new Workspace();
  const base = ['status', 'write', '--agent', 'qa', '--step', 'S', '--success', 'false'];
  expect(await workspace.run([...base, '--output', '../x', '--next', 'a=/etc/passwd'])).toMatchObject({
    exitCode: 2,
    stderr:
      'error: outputs[0]: the path `../x` contains `..`; it must stay inside the workspace\nerror: next_actions[0].file: the path `/etc/passwd` is absolute; it must be relative to the workspace\n',
  });
  expect((await workspace.run([...base, '--file', '../status.json'])).exitCode).toBe(2);
  expect((await workspace.run([...base, '--metric', 'oops'])).stderr).toContain('help: for example');
  expect(
    (await workspace.run(['status', 'write', '--agent', '../..', '--step', 'S', '--success', 'true']))
      .exitCode,
  ).toBe(2);
  expect(
    (await workspace.run(['status', 'write', '--agent', 'a', '--step', 'S', '--success', 'maybe'])).exitCode,
  ).toBe(2);
  expect(workspace.list('.')).toEqual([]);
});

test('every error in a status file is reported with its JSON path and line', async () => {
  const workspace = new Workspace({
    'bad.json': `{
  "schema": "status/v2",
  "agent": "a b",
  "timestamp": "yesterday",
  "success": "yes",
  "exit_code": 1.5,
  "outputs": ["ok.txt", 3],
  "next_actions": [{"agent": "qa"}]
}`,
    'out.json': `{"schema": "status/v1", "agent": "a", "step": "s", "timestamp": "2026-01-31T12:00:00Z", "success": true, "exit_code": 0,
  "outputs": ["ok.txt",
    "../../secret"], "extra": 1}`,
    'broken.json': '{\n  "schema": }',
  });
  expect(await workspace.run(['status', 'validate', 'bad.json'])).toMatchObject({
    exitCode: 2,
    stderr: `error: bad.json:2:13: \`schema\` must be \`status/v1\`
error: bad.json:3:12: \`agent\` must contain only letters, digits, \`_\`, \`.\` and \`-\`
error: bad.json:1:1: \`step\` is missing
error: bad.json:4:16: \`timestamp\` must be a time such as 2026-01-31T12:00:00Z
error: bad.json:5:14: \`success\` must be true or false
error: bad.json:6:16: \`exit_code\` must be a whole number
error: bad.json:7:25: \`outputs[1]\` must be a text
error: bad.json:8:20: \`next_actions[0].file\` is missing
`,
  });
  expect((await workspace.run(['status', 'read', 'out.json'])).stderr).toBe(
    'error: out.json:3:5: `outputs[1]` the path `../../secret` contains `..`; it must stay inside the workspace\n',
  );
  const json = await workspace.run(['status', 'validate', 'broken.json', 'none.json', '--json']);
  expect(json.exitCode).toBe(2);
  expect(JSON.parse(json.stdout)).toEqual([
    {
      file: 'broken.json',
      valid: false,
      problems: [{ line: 2, column: 13, message: 'is not valid JSON: expected a value, found `}`' }],
    },
    {
      file: 'none.json',
      valid: false,
      problems: [{ message: 'cannot be read: no such file or folder (ENOENT)' }],
    },
  ]);
});

test('schema prints the JSON Schema that workflow files are checked with', async () => {
  const workspace = new Workspace();
  const schema = JSON.parse((await workspace.run(['schema'])).stdout);
  expect(Object.keys(schema.properties)).toContain('steps');
});

test.each(['basic', 'agents', 'queue'])(
  'init --template %s creates a valid workflow that runs, and overwrites nothing',
  async (template) => {
    const workspace = new Workspace({ 'notes.md': 'one\ntwo\n' });
    const made = await workspace.run(['init', '--template', template]);
    expect(made.exitCode).toBe(0);
    expect(made.stderr).toMatch(/^next:\n {2}/);
    const files = made.stdout.trimEnd().split('\n');
    const [workflow = ''] = files;
    expect(files).toContain('workflows/workflow.schema.json');
    expect(workspace.read(workflow)).toMatch(
      /^# yaml-language-server: \$schema=\.\/workflow\.schema\.json\n/,
    );
    // Only its existence is checked: nothing starts it.
    workspace.write({ 'bin/claude': '#!/bin/sh\n' });
    fs.chmodSync(path.join(workspace.folder, 'bin/claude'), 0o755);
    const env = { PATH: `${path.join(workspace.folder, 'bin')}:${process.env['PATH']}` };
    expect(await workspace.run(['validate', workflow], { env })).toMatchObject({ exitCode: 0, stderr: '' });
    if (template === 'queue') await workspace.run(['queue', 'put', 'engineer', '--file', 'notes.md']);
    const ran = await workspace.run(['run', workflow, '--agent', 'mock', '--quiet']);
    expect(ran.exitCode).toBe(template === 'agents' ? 3 : 0);

    const before = workspace.read(workflow);
    const again = await workspace.run(['init', '--template', template]);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('already exist');
    expect(workspace.read(workflow)).toBe(before);
  },
);

test.each([...['runs', 'show', 'logs', 'report', 'explain', 'clean', 'queue', 'status', 'schema', 'init']])(
  '%s --help has an example',
  async (command) => {
    const help = await new Workspace().run([command, '--help']);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toMatch(/\nExample:\n {2}/);
  },
);
