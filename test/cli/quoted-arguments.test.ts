import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const HOSTILE = 'x\u001b[31mred\u001b]0;title\u0007\u001b[2J';

test.each([
  [[HOSTILE]],
  [[`--${HOSTILE}`]],
  [['run', HOSTILE]],
  [['run', 'a.yaml', '--context', `${HOSTILE}=1`]],
  [['report', 'last', '--format', HOSTILE]],
  [['show', HOSTILE]],
  [['queue', 'list', HOSTILE]],
  [['iterate', 'archive', 'restore', HOSTILE]],
])('control characters in a quoted argument do not reach the terminal: %j', async (argv) => {
  const workspace = new Workspace({ 'a.yaml': 'name: A\nsteps:\n  - {name: S, command: ["true"]}\n' });
  const { exitCode, stderr } = await workspace.run(argv);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('red');
  expect(stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});

test('control characters in the name of a valid file do not reach the terminal', async () => {
  const name = 'x\u001b[31mred.yaml';
  const workspace = new Workspace({ [name]: 'name: A\nsteps:\n  - {name: S, command: ["true"]}\n' });
  expect(await workspace.run(['validate', name])).toMatchObject({ exitCode: 0, stdout: 'xred.yaml: ok\n' });
});

test('control characters in a title or a setting do not reach the terminal', async () => {
  const workspace = new Workspace({
    '.claude-iterate.json': JSON.stringify({ notifyUrl: `https://x.example/${HOSTILE}` }),
  });
  await workspace.run(['converse', 'init', 'talk', '--template', 'mock']);
  await workspace.run(['converse', 'run', 'talk', '--task', HOSTILE]);
  cutOff(workspace);
  for (const argv of [['doctor'], ['iterate', 'config']]) {
    const { stdout } = await workspace.run(argv);
    expect(stdout).toContain('red');
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
});

/** A journal as a kill leaves it, without the record of its end. */
function cutOff(workspace: Workspace): void {
  const folder = workspace.runFolder();
  const journal = path.join(folder, 'journal.jsonl');
  const lines = fs.readFileSync(journal, 'utf8').trimEnd().split('\n');
  fs.writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
  fs.rmSync(path.join(folder, 'state.json'));
}
