import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const ONE = 'name: One\nsteps:\n  - {name: S, command: ["true"]}\n';

test('`init` creates a workflow, the folders of agents and a line in `.gitignore`, and lists them', async () => {
  const workspace = new Workspace();
  expect(await workspace.run(['init'])).toMatchObject({
    exitCode: 0,
    stdout: `workflows/hello.yaml
workflows/workflow.schema.json
prompts/
artifacts/architect/
artifacts/engineer/
artifacts/qa/
inbox/architect/
inbox/engineer/
inbox/qa/
processed/
failed/
.gitignore
`,
  });
  expect(workspace.read('.gitignore')).toBe('.orchestrate/\n');
  expect(fs.statSync(path.join(workspace.folder, 'inbox/qa')).isDirectory()).toBe(true);
});

test.each([
  ['node_modules', 'node_modules\n.orchestrate/\n'],
  ['/.orchestrate\r\n', '/.orchestrate\r\n'],
  ['a\n.orchestrate/\nb', 'a\n.orchestrate/\nb'],
])('`init` keeps what is there: .gitignore %j', async (before, after) => {
  const workspace = new Workspace({ '.gitignore': before, 'inbox/engineer/fix.task': 'fix it' });
  const { exitCode, stdout } = await workspace.run(['init']);
  expect([exitCode, stdout.includes('.gitignore'), stdout.includes('inbox/engineer/')]).toEqual([
    0,
    before !== after,
    false,
  ]);
  expect([workspace.read('.gitignore'), workspace.read('inbox/engineer/fix.task')]).toEqual([
    after,
    'fix it',
  ]);
});

test('`init` follows no link out of the workspace', async () => {
  const elsewhere = new Workspace({ x: '' });
  const workspace = new Workspace();
  fs.symlinkSync(path.join(elsewhere.folder, 'none'), path.join(workspace.folder, '.gitignore'));
  expect(await workspace.run(['init'])).toMatchObject({ exitCode: 1 });
  expect(elsewhere.list('.')).toEqual(['x']);
});

test('the first run makes git ignore `.orchestrate`, and never again', async () => {
  const workspace = new Workspace({ 'a.yaml': ONE });
  expect(await workspace.run(['run', 'a.yaml'])).toMatchObject({ exitCode: 0 });
  expect(workspace.read('.orchestrate/.gitignore')).toBe('*\n');
  workspace.remove('.orchestrate/.gitignore');
  expect(await workspace.run(['run', 'a.yaml'])).toMatchObject({ exitCode: 0 });
  expect(workspace.has('.orchestrate/.gitignore')).toBe(false);
});

test('the first run keeps a `.gitignore` that a person wrote', async () => {
  const workspace = new Workspace({ 'a.yaml': ONE, '.orchestrate/.gitignore': 'runs/*/logs\n' });
  expect(await workspace.run(['run', 'a.yaml'])).toMatchObject({ exitCode: 0 });
  expect(workspace.read('.orchestrate/.gitignore')).toBe('runs/*/logs\n');
});
