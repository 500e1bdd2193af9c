/**
 * The machine goes down while loops, sessions and phases with the real Claude Code wait for an answer about a tool call: one without an answer is left
 * alone, one with an answer there is taken up once.
 */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelServer } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_325 as cli } from './clis.ts';
import { installClis } from './install.ts';

beforeAll(installClis, 15 * 60_000);

const KINDS: readonly {
  readonly kind: string;
  readonly before: readonly (readonly string[])[];
  readonly run: readonly string[];
}[] = [
  {
    kind: 'a loop',
    before: [['iterate', 'init', 'task']],
    run: [
      ...['iterate', 'run', 'task', '--max-iterations', '1'],
      ...['--dangerously-skip-permissions', '--no-verify', '--trust'],
    ],
  },
  {
    kind: 'a session',
    before: [
      ['session', 'start', 'Ship it'],
      ['task', 'create', '--title', 'Push the branch', '--focus', 'branch'],
    ],
    run: ['execute', '--dangerously-skip-permissions', '--trust'],
  },
  {
    kind: 'phases',
    before: [['phases', 'create', 'Ship it', '--phase', 'First::engineer']],
    run: ['phases', 'run', '--trust', '--permissions', 'bypass', '--quiet'],
  },
];

describe('a keeper that starts after the machine went down', { timeout: 180_000 }, () => {
  it.each(KINDS)('leaves $kind that waits for an answer, and takes it up once it has one', async (kind) => {
    const site = new CliWorkspace([cli], {
      '.orchestrate/config.yaml': 'ask: [{"tool": "Bash", "command": "*push*", "do": "ask"}]\n',
      'canary.yaml':
        'name: canary\nsteps:\n  - { name: Wait, command: [bash, -c, "touch begun; until [ -e up ]; do sleep 0.02; done"] }\n',
    });
    const calls = path.join(temporaryFolder(), 'calls');
    const server = await site.serve([
      cli.tools.shell(`echo push >> ${calls}`),
      { type: 'text', text: 'Done.' },
    ]);
    for (const argv of kind.before) {
      const done = await site.run(argv, server);
      expect(done.exitCode, done.stderr).toBe(0);
    }
    if (kind.kind === 'a loop')
      site.workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Push the branch.\n' });
    await site.run(kind.run, server);
    const [asking = ''] = site.workspace.runs();
    const [key = ''] = Object.keys(site.workspace.state(asking).waiting_for ?? {});
    expect(key).not.toBe('');
    const events = () => site.workspace.journal(asking).length;
    const before = events();

    // Without an answer.
    const canary = site.start(['run', 'canary.yaml', '--quiet'], server);
    await until(() => site.workspace.has('begun'));
    canary.child.kill('SIGKILL');
    await canary.ended;
    site.workspace.write({ up: '' });
    const [lost = ''] = site.workspace.runs().filter((id) => id !== asking);
    await kept(site, server, () => site.workspace.hasState(lost) && status(site, lost) === 'completed');
    expect([events(), status(site, asking), fs.existsSync(calls)]).toEqual([before, 'waiting', false]);

    // With one.
    const answered = await site.workspace.run(['approve', asking, key, '--choose', 'allow']);
    expect(answered.exitCode, answered.stderr).toBe(0);
    await kept(site, server, () => !['waiting', 'running'].includes(status(site, asking)));
    const resumed = site.workspace.journal(asking).filter(({ type }) => type === 'run-resumed');
    expect([resumed.length, fs.readFileSync(calls, 'utf8')]).toEqual([1, 'push\n']);
    await site.expectNothingLeft();
  });
});

function status(site: CliWorkspace, runId: string): string {
  return site.workspace.state(runId).status;
}

/** A keeper that works until this is so. */
async function kept(site: CliWorkspace, server: ModelServer, isThere: () => boolean): Promise<void> {
  const keeper = site.start(['keep'], server);
  await until(() => isThere() || keeper.child.exitCode !== null);
  keeper.child.kill('SIGTERM');
  const { exitCode, stderr } = await keeper.ended;
  expect(exitCode, stderr).toBe(0);
}
