import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { markedProcesses } from './runs.ts';

describe('`timeout_sec`', () => {
  it('stops the step with exit code 124 and its whole process tree, including other sessions', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Slow
    command:
      - bash
      - -c
      - |
        setsid bash -c 'trap "" TERM HUP; echo $$$$ >> pids; while :; do sleep 0.05; done' &
        (setsid setsid sleep 300 & echo $! >> pids) &
        sleep 300 & echo $! >> pids
        wait
    timeout_sec: 1
    on: {failure: {goto: After}}
  - name: After
    command: [echo, "\${steps.Slow.exit_code} \${steps.Slow.outcome}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Slow')).toMatchObject({
      status: 'failed',
      exit_code: 124,
      outcome: 'timed-out',
      error: { message: 'timed out after 1 s' },
    });
    expect(workspace.step('After').output).toBe('124 timed-out\n');
    expect(workspace.read('pids').trim().split('\n')).toHaveLength(3);
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
  });

  it('lets a step exit cleanly: SIGTERM is sent first', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Slow
    command: [bash, -c, "trap 'echo bye; exit 0' TERM; while :; do sleep 0.02; done"]
    timeout_sec: 1
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Slow')).toMatchObject({ exit_code: 124, output: 'bye\n' });
  });

  it('of a provider applies to its steps without their own', async () => {
    const workspace = new Workspace({
      'p.md': 'Go.',
      'w.yaml': `providers:
  slow: {command: [bash, -c, "cat > /dev/null; sleep 0.6; echo done"], input_mode: stdin, timeout_sec: 0.2}
strict_flow: false
steps:
  - {name: A, provider: slow, input_file: p.md, retries: 0}
  - {name: B, provider: slow, input_file: p.md, retries: 0, timeout_sec: 30}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('A')).toMatchObject({ exit_code: 124, outcome: 'timed-out' });
    expect(workspace.step('B')).toMatchObject({ exit_code: 0, output: 'done\n' });
  });
});

describe('`idle_timeout_sec`', () => {
  it('stops a step without output, but not one that prints', async () => {
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false
steps:
  - {name: Talks, command: [bash, -c, "for i in 1 2 3 4 5 6 7 8; do sleep 0.25; echo $i; done"], idle_timeout_sec: 1.5}
  - {name: Silent, command: [bash, -c, "echo hello; sleep 300"], idle_timeout_sec: 1}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Talks')).toMatchObject({ exit_code: 0 });
    expect(workspace.step('Silent')).toMatchObject({
      exit_code: 124,
      outcome: 'idle',
      output: 'hello\n',
      error: { message: 'idle for 1 s; stopped' },
    });
  });
});
