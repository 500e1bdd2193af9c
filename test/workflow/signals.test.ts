import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BINARY, countOf, until, Workspace } from '../rig/orchestrate.ts';
import { markedProcesses } from './runs.ts';

const yaml = `steps:
  - {name: A, command: [bash, -c, "echo x >> a"]}
  - name: B
    command: [bash, -c, "if [ -e go ]; then exit 0; fi; (setsid bash -c 'while :; do sleep 0.05; done' &); touch begun; while :; do sleep 0.05; done"]
  - {name: C, command: [bash, -c, "echo x >> c"]}
finally:
  - {name: Tidy, command: [bash, -c, "echo x >> tidy"]}
`;

async function begun(source = yaml) {
  const workspace = new Workspace({ 'w.yaml': source });
  const run = workspace.start(['run', 'w.yaml']);
  await until(() => workspace.has('begun'));
  return { workspace, run, runId: workspace.runs()[0] ?? '' };
}

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s stops the run cleanly: exit code %d, nothing left running, resumable',
    async (signal, exitCode) => {
      const { workspace, run, runId } = await begun();
      run.child.kill(signal);
      const ended = await run.ended;
      expect(ended).toMatchObject({ exitCode });
      expect(ended.stderr).toContain(
        signal === 'SIGINT'
          ? 'Interrupted: stopping running steps, then running `finally` (at most 5 minutes). '
          : `Received ${signal}: stopping running steps, then running \`finally\` (at most 5 minutes). `,
      );
      expect(workspace.state()).toMatchObject({ status: 'interrupted', current_step: null });
      expect(workspace.journal().at(-1)).toMatchObject({ type: 'run-ended', status: 'interrupted', signal });
      expect(markedProcesses(runId)).toEqual([]);
      expect(countOf(workspace, 'tidy')).toBe(1);

      // Once per end: a second interruption, and the end itself.
      const again = workspace.start(['resume', 'last']);
      workspace.remove('begun');
      await until(() => workspace.has('begun'));
      again.child.kill(signal);
      expect(await again.ended).toMatchObject({ exitCode });
      expect(countOf(workspace, 'tidy')).toBe(2);
      workspace.write({ go: '' });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
      expect(['a', 'c', 'tidy'].map((name) => countOf(workspace, name))).toEqual([1, 1, 3]);
      expect(workspace.step('B')).toMatchObject({ status: 'completed', repeated: true });
    },
  );

  it('SIGHUP from a closed terminal does not stop a run with `nohup`', async () => {
    const waiting = 'touch begun; while [ ! -e go ]; do sleep 0.02; done';
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - {name: A, command: [bash, -c, "${waiting}"]}\n`,
    });
    const command = `nohup ${process.execPath} ${BINARY} run w.yaml > out.log 2>&1 & echo $! > pid; wait`;
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: workspace.folder,
      env: { PATH: process.env['PATH'], HOME: workspace.folder, SHELL: '/bin/sh' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const closed = new Promise((resolve) => terminal.once('close', resolve));
    await until(() => workspace.has('begun'));
    // The terminal closes, and the system sends SIGHUP to its processes.
    terminal.kill('SIGKILL');
    await closed;
    workspace.write({ go: '' });
    await until(() => !fs.existsSync(`/proc/${workspace.read('pid').trim()}`));
    expect(workspace.journal().at(-1)).toMatchObject({ status: 'completed' });
    expect(workspace.read('out.log')).toContain('completed');
  });

  const orchestrate = `${process.execPath} ${BINARY} run w.yaml`;
  it.each([
    ['with `nohup` from bash', 'bash', `nohup ${orchestrate} & echo $! > pid; wait $!`, 'completed'],
    ['after `trap` in a script', 'sh', `trap '' HUP; ${orchestrate} & echo $! > pid; wait $!`, 'completed'],
    ['in a script with `nohup`', 'sh', `nohup sh -c '${orchestrate} & echo $! > pid; wait $!'`, 'completed'],
    ['started plainly', 'bash', `${orchestrate} & echo $! > pid; wait $!`, 'interrupted'],
  ])('SIGHUP without a terminal, %s', async (_, shell, command, status) => {
    const workspace = new Workspace({
      'w.yaml':
        'steps:\n  - {name: A, command: [bash, -c, "touch begun; while [ ! -e go ]; do sleep 0.02; done"]}\n',
    });
    const started = spawn(shell, ['-c', command], {
      cwd: workspace.folder,
      env: { PATH: process.env['PATH'], HOME: workspace.folder },
      stdio: 'ignore',
      // A session of its own: no controlling terminal.
      detached: true,
    });
    const closed = new Promise((resolve) => started.once('close', resolve));
    await until(() => workspace.has('begun') && workspace.has('pid') && workspace.read('pid').endsWith('\n'));
    process.kill(Number(workspace.read('pid')), 'SIGHUP');
    if (status === 'completed') workspace.write({ go: '' });
    await closed;
    expect(workspace.journal().at(-1)).toMatchObject({ type: 'run-ended', status });
  });

  it('the second time ends the process at once; resume cleans up', async () => {
    const stubborn = yaml
      .replace("bash -c 'while", `bash -c 'trap \\"\\" TERM; while`)
      .replace('if [', "trap '' TERM; if [");
    const { workspace, run, runId } = await begun(stubborn);
    run.child.kill('SIGINT');
    let said = '';
    run.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(() => said.includes('again to force quit'));
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 130 });
    expect(workspace.journal().at(-1)?.type).not.toBe('run-ended');
    workspace.write({ go: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(markedProcesses(runId)).toEqual([]);
    expect(['a', 'c', 'tidy'].map((name) => countOf(workspace, name))).toEqual([1, 1, 1]);
  });

  it('the second time ends `finally`, and kill -9 in it loses nothing: the resumed run does it again', async () => {
    const source = yaml.replace(
      '"echo x >> tidy"',
      '"[ -e go ] || { touch tidying; sleep 60; }; echo x >> tidy"',
    );
    for (const second of ['SIGINT', 'SIGKILL'] as const) {
      const { workspace, run, runId } = await begun(
        source.replace('finally:\n', 'finally:\n  - {name: First, command: [bash, -c, "echo x >> first"]}\n'),
      );
      run.child.kill('SIGINT');
      await until(() => workspace.has('tidying'));
      run.child.kill(second);
      const ended = await run.ended;
      if (second === 'SIGINT') expect(ended.exitCode).toBe(130);
      workspace.write({ go: '' });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
      expect(['a', 'c', 'first', 'tidy'].map((name) => countOf(workspace, name))).toEqual([1, 1, 2, 1]);
      expect(markedProcesses(runId)).toEqual([]);
    }
  });

  it('stops all branches, waits and pauses at once', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Many
    parallel:
      steps:
        - {name: Loop, for_each: {items: [a, b, c], max_parallel: 3, steps: [{name: Work, command: [bash, -c, "echo x >> begun; sleep 300"]}]}}
        - {name: Wait, wait_for: {glob: "never/*", timeout_sec: 300}}
        - {name: Again, repeat: {until: {exists: never}, delay_sec: 300, steps: [{name: Once, command: ["true"]}]}}
        - {name: Retry, command: ["false"], retries: {max: 3, delay_ms: 300000, max_delay_ms: 300000}}
        - {name: Ask, approve: {message: "Well?"}}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    const has = (type: string) => workspace.journal().some((event) => event.type === type);
    await until(() => countOf(workspace, 'begun') === 3 && has('sleep-started') && has('attempt-ended'));
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 143 });
    expect(workspace.state().status).toBe('interrupted');
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
  });
});
