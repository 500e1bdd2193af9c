/** A loop in a sandbox, with the real bubblewrap. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { NO_VERIFY, Project, TASK } from './rig.ts';

const HAS_BUBBLEWRAP = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

async function loopWith(settings: object, check: string, flags: readonly string[] = []) {
  const outside = temporaryFolder();
  const project = new Project();
  await project.task();
  project.write({
    '.claude-iterate.json': JSON.stringify(settings),
    'agent.sh': `#!/bin/sh
cat > /dev/null
echo by agent > made.txt
echo by agent > "$OUTSIDE/made.txt"
echo '{"complete": true}' > "$CHECKOUT/${TASK}/.status.json"
`,
  });
  fs.chmodSync(path.join(project.folder, 'agent.sh'), 0o755);
  project.repository();
  const argv = [
    'run',
    'task',
    '--trust',
    '--agent',
    './agent.sh',
    '-m',
    '1',
    '--check',
    check,
    ...NO_VERIFY,
    ...flags,
  ];
  const ended = await project.iterate(argv, {
    env: { OUTSIDE: outside, HOME: outside, CHECKOUT: project.folder },
  });
  return { ...ended, project, made: fs.existsSync(path.join(outside, 'made.txt')) };
}

describe.skipIf(!HAS_BUBBLEWRAP)('a loop with the setting `sandbox`', () => {
  it('lets its agent and its checks write to the project and nowhere else', async () => {
    const settings = { sandbox: 'workspace-write', network: 'none' };
    const check = `sh -c 'test -f made.txt && ! touch "$HOME/by-check"'`;
    const { exitCode, stdout, stderr, project, made } = await loopWith(settings, check);
    expect(exitCode, stderr + stdout).toBe(0);
    expect(project.read('made.txt')).toBe('by agent\n');
    expect(made).toBe(false);
    expect(project.metadata().status).toBe('completed');
  });

  it('lets an agent with a worktree write to that, and not to the checkout', async () => {
    const settings = { sandbox: 'workspace-write', network: 'none' };
    const check = `sh -c 'test -f made.txt && ! touch "$CHECKOUT/by-check"'`;
    const { exitCode, stdout, stderr, project } = await loopWith(settings, check, ['--worktree']);
    expect(exitCode, stderr + stdout).toBe(0);
    expect(project.metadata().status).toBe('completed');
    expect(project.has('by-check')).toBe(false);
  });

  it('lets the agent report its status even if everything else is read-only', async () => {
    const { exitCode, stderr, project, made } = await loopWith(
      { sandbox: 'read-only' },
      'test ! -f made.txt',
    );
    expect(exitCode, stderr).toBe(0);
    expect([project.has('made.txt'), made]).toEqual([false, false]);
    expect(project.metadata().status).toBe('completed');
  });
});
