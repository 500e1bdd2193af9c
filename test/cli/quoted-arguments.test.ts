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
])('an argument that talks to the terminal is quoted without its power: %j', async (argv) => {
  const workspace = new Workspace({ 'a.yaml': 'name: A\nsteps:\n  - {name: S, command: ["true"]}\n' });
  const { exitCode, stderr } = await workspace.run(argv);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('red');
  expect(stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});
