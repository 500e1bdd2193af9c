/** `--detach`: a run in the background is an ordinary run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { BINARY, countOf, until, Workspace } from '../rig/orchestrate.ts';

/** `Paid` counts its runs; `Wait` lasts until the file `go` exists. */
const WAITS = `name: Waits
steps:
  - {name: Paid, command: [bash, -c, "echo paid; echo x >> paid.log"]}
  - {name: Wait, command: [bash, -c, "until [ -e go ]; do sleep 0.02; done; echo gone"]}
`;

async function detached(workspace: Workspace, argv: readonly string[]): Promise<string> {
  const ended = await workspace.run([...argv, '--detach']);
  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d{8}T\d{6}Z-\w{6}\n$/) });
  const runId = ended.stdout.trim();
  expect(ended.stderr).toMatch(
    new RegExp(
      `^running in the background as process \\d+\nfollow it: orchestrate logs ${runId} -f\ncancel it: orchestrate cancel ${runId}\n$`,
    ),
  );
  return runId;
}

function ownerOf(workspace: Workspace, runId?: string): number {
  return JSON.parse(fs.readFileSync(path.join(workspace.runFolder(runId), 'lock'), 'utf8')).pid;
}

const isOver = (workspace: Workspace, runId?: string): boolean =>
  workspace.hasState(runId) && !fs.existsSync(path.join(workspace.runFolder(runId), 'lock'));

const log = (workspace: Workspace, name = 'detached.log'): string =>
  fs.readFileSync(path.join(workspace.runFolder(), 'logs', name), 'utf8');

test('a detached run is recorded when the command returns, and continues in a session of its own', async () => {
  const workspace = new Workspace({ 'w.yaml': WAITS });
  const runId = await detached(workspace, ['run', 'w.yaml']);
  expect(workspace.runs()).toEqual([runId]);
  const pid = ownerOf(workspace);
  const [, , session, terminal] = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) \S /, '')
    .split(' ');
  expect([session, terminal]).toEqual([String(pid), '0']);
  expect(await workspace.run(['show', runId])).toMatchObject({ stdout: expect.stringContaining('running') });
  const followed = workspace.run(['logs', runId, '-f']);
  workspace.write({ go: '' });
  expect((await followed).stdout).toContain('gone');
  await until(() => isOver(workspace));
  expect(workspace.state()).toMatchObject({ status: 'completed' });
  expect(log(workspace)).toMatch(/^● run \S+ started: Waits\n(?:.*\n)+✓ completed {2}2 steps/);
  expect(workspace.list('.orchestrate/runs').filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a detached run that was killed is resumed, also detached; what was paid for does not run again', async () => {
  const workspace = new Workspace({ 'w.yaml': WAITS });
  const runId = await detached(workspace, ['run', 'w.yaml']);
  await until(() => workspace.journal().some(({ type, key }) => type === 'step-started' && key === 'Wait'));
  process.kill(ownerOf(workspace), 'SIGKILL');
  expect(await detached(workspace, ['resume', runId])).toBe(runId);
  workspace.write({ go: '' });
  await until(() => isOver(workspace));
  expect([workspace.state().status, countOf(workspace, 'paid.log')]).toEqual(['completed', 1]);
  expect(log(workspace, 'detached.2.log')).toContain('✓ completed');
});

test('a detached run is cancelled like any other', async () => {
  const workspace = new Workspace({ 'w.yaml': WAITS });
  await detached(workspace, ['run', 'w.yaml']);
  expect(await workspace.run(['cancel', 'last'])).toMatchObject({ exitCode: 0 });
  await until(() => isOver(workspace));
  expect(workspace.state()).toMatchObject({ status: 'cancelled' });
});

test('a run that cannot be started is reported, and the log of the run that holds it is untouched', async () => {
  const workspace = new Workspace({ 'w.yaml': WAITS });
  const runId = await detached(workspace, ['run', 'w.yaml']);
  await until(() => workspace.journal().some(({ type, key }) => type === 'step-started' && key === 'Wait'));
  const logs = (): readonly string[] =>
    workspace.list(`.orchestrate/runs/${runId}/logs`).filter((name) => name.endsWith('.log'));
  const before = logs();
  expect(await workspace.run(['resume', runId, '--detach'])).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringMatching(/^error: run `\S+` is being run by process \d+/),
  });
  expect(logs()).toEqual(before);
  workspace.write({ go: '' });
  await until(() => isOver(workspace));
  expect(log(workspace)).not.toContain('error');
});

test('what can be known before the start is reported by the command itself', async () => {
  const workspace = new Workspace({ 'bad.yaml': 'name: Bad\nsteps:\n  - {name: A}\n', 'w.yaml': WAITS });
  for (const argv of [
    ['run', 'bad.yaml'],
    ['run', 'w.yaml', '--context', 'nonsense'],
    ['resume', 'last'],
    ['run', 'w.yaml', '--json'],
  ])
    expect(await workspace.run([...argv, '--detach'])).toMatchObject({ exitCode: 2, stdout: '' });
  expect(workspace.has('.orchestrate')).toBe(false);
});

test('`run-step`, `fork` and `execute` can be detached too', async () => {
  const workspace = new Workspace({ 'w.yaml': WAITS, go: '' });
  const first = await detached(workspace, ['run', 'w.yaml']);
  await until(() => isOver(workspace, first));
  const forked = await detached(workspace, ['fork', first, '--from', 'Wait']);
  await until(() => isOver(workspace, forked));
  const step = await detached(workspace, ['run-step', 'Wait', '--workflow', 'w.yaml']);
  await until(() => isOver(workspace, step));
  expect([workspace.state(forked).status, workspace.state(step).status]).toEqual(['completed', 'completed']);
  await workspace.run(['session', 'start', 'Work']);
  await workspace.run(['task', 'create', '--title', 'T']);
  const tasks = await detached(workspace, ['execute', '--agent', 'mock']);
  await until(() => isOver(workspace, tasks));
  expect(workspace.state(tasks)).toMatchObject({ kind: 'session', status: 'completed' });
});

test('a loop is detached with its own reporting', async () => {
  const workspace = new Workspace();
  await workspace.run(['iterate', 'init', 'task']);
  workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.' });
  const ended = await workspace.run(['iterate', 'run', 'task', '--dry-run', '--no-delay', '--detach']);
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('running in the background')]);
  await until(() => isOver(workspace));
  expect(workspace.state()).toMatchObject({ kind: 'iterate', status: 'completed' });
  expect(log(workspace)).toContain('✓ Task completed successfully');
});

test('a run that was handed over continues, even if the process that started it is killed before it knows', async () => {
  const workspace = new Workspace({
    'ask.yaml':
      'name: ask\nsteps:\n  - name: Go\n    approve: { message: "Go?", choices: [yes] }\n  - { name: After, command: [echo, done] }\n',
  });
  expect(await workspace.run(['run', 'ask.yaml', '--quiet'])).toMatchObject({ exitCode: 3 });
  const [runId = ''] = workspace.runs();
  await workspace.run(['approve', runId, 'Go', '--choose', 'yes']);
  const log = path.join(workspace.folder, '.orchestrate', 'runs', `${runId}.log.tmp`);
  const plan = {
    ...{ runId, workspace: workspace.folder, kind: 'workflow', title: 'ask', secrets: [] },
    begin: { type: 'resume' },
  };
  const output = fs.openSync(log, 'w', 0o600);
  const child = spawn(process.execPath, [BINARY, 'carry-out'], {
    cwd: workspace.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder },
    stdio: ['pipe', output, output, 'pipe'],
  });
  // Nobody listens any more, as after a kill.
  (child.stdio[3] as Readable).destroy();
  child.stdin?.end(JSON.stringify({ plan, output: { quiet: true }, log }));
  const [exitCode] = await once(child, 'exit');
  fs.closeSync(output);
  expect({ exitCode, status: workspace.state(runId).status }).toEqual({ exitCode: 0, status: 'completed' });
});
