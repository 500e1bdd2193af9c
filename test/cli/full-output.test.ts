/** The output of a command goes to a full disk: the work continues, and the lost output is reported at the end. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BINARY, type Ended, Workspace } from '../rig/orchestrate.ts';

const YAML = `steps:
  - {name: A, command: [bash, -c, "echo A >> log"]}
  - {name: B, command: [bash, -c, "echo B >> log; echo said"]}
`;

const LOST = `error: standard output is incomplete: the disk is full (ENOSPC)
help: redirect it to a file or device that can be written
`;

/** Runs with its output redirected by a shell, for example `> /dev/full`. */
function redirected(workspace: Workspace, argv: readonly string[], redirection: string): Promise<Ended> {
  const child = spawn('bash', ['-c', `"$@" ${redirection}`, '-', process.execPath, BINARY, ...argv], {
    cwd: workspace.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: workspace.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) =>
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr })),
  );
}

function expectWorkDone(workspace: Workspace): void {
  expect(workspace.read('log')).toBe('A\nB\n');
  expect(workspace.state().status).toBe('completed');
  expect(workspace.journal().at(-1)).toMatchObject({ type: 'run-ended', status: 'completed' });
}

describe.runIf(fs.existsSync('/dev/full'))('a run whose output goes to a full disk', () => {
  it('does its work and succeeds if only messages are lost', async () => {
    const workspace = new Workspace({ 'w.yaml': YAML });
    expect(await redirected(workspace, ['run', 'w.yaml'], '2> /dev/full')).toMatchObject({ exitCode: 0 });
    expectWorkDone(workspace);
  });

  it('does its work and reports that JSON lines are lost', async () => {
    const workspace = new Workspace({ 'w.yaml': YAML });
    const ended = await redirected(workspace, ['run', 'w.yaml', '--json'], '> /dev/full');
    expectWorkDone(workspace);
    expect(ended.stderr).toBe(`run \`${workspace.runs()[0]}\` is completed\n${LOST}`);
    expect(ended.exitCode).toBe(1);
  });

  it('does its work and fails if nothing can be printed', async () => {
    const workspace = new Workspace({ 'w.yaml': YAML });
    const ended = await redirected(workspace, ['run', 'w.yaml', '--json'], '> /dev/full 2> /dev/full');
    expect(ended.exitCode).toBe(1);
    expectWorkDone(workspace);
  });

  it('keeps the exit code of a waiting run', async () => {
    const workspace = new Workspace({ 'w.yaml': 'steps:\n  - {name: Ask, approve: {message: "Go?"}}\n' });
    const ended = await redirected(workspace, ['run', 'w.yaml', '--json'], '> /dev/full');
    expect([ended.exitCode, workspace.state().status]).toEqual([3, 'waiting']);
  });

  it('does its work when the reader closes the pipe, without an error', async () => {
    const workspace = new Workspace({ 'w.yaml': YAML });
    const ended = await redirected(
      workspace,
      ['run', 'w.yaml', '--json'],
      '| head -c 1; exit "${PIPESTATUS[0]}"',
    );
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{', stderr: '' });
    expectWorkDone(workspace);
  });
});

describe.runIf(fs.existsSync('/dev/full'))('a command that cannot print its result', () => {
  it.each([
    ['show', ['show', 'last']],
    ['show --json', ['show', 'last', '--json']],
    ['logs', ['logs', 'last']],
    ['report', ['report', 'last', '--output', '-']],
    ['runs', ['runs']],
    ['validate', ['validate', 'w.yaml']],
    ['--help', ['--help']],
  ])('fails with a reason: %s', async (_, argv) => {
    const workspace = new Workspace({ 'w.yaml': YAML });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const ended = await redirected(workspace, argv, '> /dev/full');
    expect([ended.exitCode, ended.stderr]).toEqual([1, LOST]);
  });

  it('fails with a reason as an MCP server too', async () => {
    const workspace = new Workspace({ ping: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
    const ended = await redirected(workspace, ['mcp'], '< ping > /dev/full');
    expect([ended.exitCode, ended.stderr]).toEqual([1, LOST]);
  });
});
