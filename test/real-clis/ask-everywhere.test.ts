/** The rules of `ask` hold for every kind of run: a loop, a session, phases, isolated work. One mechanism, one kind of question. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelServer, Turn } from '../rig/model-server/server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_197, CLAUDE_325 } from './clis.ts';
import { installClis } from './install.ts';

const DONE: Turn = { type: 'text', text: 'Done.' };
const RULE = '{"tool": "Bash", "command": "*push*", "do": "ask"}';

beforeAll(installClis, 15 * 60_000);

describe.each([CLAUDE_325, CLAUDE_197])('ask with claude $version', { timeout: 180_000 }, (cli) => {
  let site: CliWorkspace;
  let calls: string;
  let push: Turn;

  beforeEach(() => {
    site = new CliWorkspace([cli], { '.orchestrate/config.yaml': `ask: [${RULE}]\n` });
    calls = path.join(temporaryFolder(), 'calls');
    push = cli.tools.shell(`echo push >> ${calls}`);
  });

  const asks = async (argv: readonly string[], server: ModelServer): Promise<string> => {
    const asked = await site.run(argv, server);
    const open = Object.keys(site.workspace.state().waiting_for ?? {});
    expect(open, asked.stderr).toHaveLength(1);
    await site.expectNothingLeft();
    expect(fs.existsSync(calls)).toBe(false);
    const [key = ''] = open;
    const answered = await site.workspace.run(['approve', 'last', key, '--choose', 'allow']);
    expect(answered.exitCode, answered.stderr).toBe(0);
    return key;
  };
  const ran = (): string => fs.readFileSync(calls, 'utf8');

  it('in a loop, with rules of its own settings', async () => {
    site.workspace.remove('.orchestrate/config.yaml');
    const server = await site.serve([push, DONE]);
    for (const argv of [
      ['init', 'task'],
      ['config', 'ask', '--add', RULE],
    ])
      expect((await site.run(['iterate', ...argv], server)).exitCode).toBe(0);
    site.workspace.write({
      'claude-iterate/workspaces/task/INSTRUCTIONS.md': '# Push it\n\nPush the branch.\n',
    });
    const run = [
      'iterate',
      'run',
      'task',
      '--max-iterations',
      '1',
      '--dangerously-skip-permissions',
      '--no-verify',
      '--trust',
    ];
    await asks(run, server);
    await site.resume(server);
    expect(ran()).toBe('push\n');
  });

  it('in a session, with the rules of the folder', async () => {
    const server = await site.serve([push, DONE]);
    for (const argv of [
      ['session', 'start', 'Ship it'],
      ['task', 'create', '--title', 'Push the branch', '--focus', 'branch'],
    ])
      expect((await site.run(argv, server)).exitCode).toBe(0);
    const key = await asks(['execute', '--dangerously-skip-permissions', '--trust'], server);
    expect(key).toMatch(/\/toolu_1$/);
    await site.resume(server);
    expect(ran()).toBe('push\n');
  });

  it('in phases, with the rules of the folder', async () => {
    const server = await site.serve([push, DONE]);
    const created = await site.run(['phases', 'create', 'Ship it', '--phase', 'First::engineer'], server);
    expect(created.exitCode, created.stderr).toBe(0);
    await asks(['phases', 'run', '--trust', '--permissions', 'bypass', '--quiet'], server);
    await site.resume(server);
    expect(ran()).toBe('push\n');
  });

  it('in isolated work: its worktree waits, and paths are those of the worktree', async () => {
    const { folder } = site.workspace;
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...argv], { cwd: folder });
    site.workspace.write({
      'w.yaml': `steps:
  - name: Work
    provider: claude
    prompt: Change it.
    permissions: bypass
    isolate: worktree
    ask: [{tool: Write, path: "infra/**", do: ask}]
`,
    });
    git('init', '-q');
    git('add', 'w.yaml');
    git('commit', '-qm', 'first');
    const server = await site.serve([cli.tools.write('infra/main.tf', 'x'), DONE]);
    await asks(['run', 'w.yaml', '--trust'], server);
    expect(site.workspace.has('infra/main.tf')).toBe(false);
    const resumed = await site.resume(server);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(site.workspace.read('infra/main.tf')).toBe('x');
  });
});
