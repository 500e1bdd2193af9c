import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { markedProcesses } from './runs.ts';

const yaml = `steps:
  - {name: A, command: [bash, -c, "touch begun; setsid sleep 300 & sleep 300"]}
`;

describe('`cancel`', () => {
  it('ends a running run for good, with everything it started', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    const [runId = ''] = workspace.runs();
    const ended = await workspace.run(['cancel', 'last']);
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      `run \`${runId}\`: asked process ${run.pid} to stop\n`,
    ]);
    expect(await run.ended).toMatchObject({ exitCode: 1 });
    expect(workspace.state()).toMatchObject({ status: 'cancelled', error: { message: 'cancelled' } });
    expect(markedProcesses(runId)).toEqual([]);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({
      exitCode: 2,
      stderr: `error: run \`${runId}\` was cancelled\nhelp: \`orchestrate resume ${runId} --force-restart\` starts a new run\n`,
    });
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({
      exitCode: 0,
      stderr: `run \`${runId}\` has already ended (cancelled): nothing to do\n`,
    });
  });

  it('ends a run whose process was killed, and stops what it left running', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    run.child.kill('SIGKILL');
    await run.ended;
    const [runId = ''] = workspace.runs();
    expect(markedProcesses(runId)).not.toEqual([]);
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({
      exitCode: 0,
      stderr: `run \`${runId}\` is cancelled\n`,
    });
    expect(workspace.state().status).toBe('cancelled');
    expect(markedProcesses(runId)).toEqual([]);
  });

  it('first runs the `finally` of the workflow and of the one it calls', async () => {
    const workspace = new Workspace(tidying);
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    await workspace.run(['cancel', 'last']);
    const ended = await run.ended;
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      'Cancelled: stopping running steps, then running `finally` (at most 5 minutes). A second signal skips it.\n',
    );
    expect(workspace.read('tidied')).toBe('inner\nouter hello\n');
    expect(workspace.state()).toMatchObject({
      status: 'cancelled',
      error: { type: 'cancelled' },
      steps: { Tidy: { status: 'completed' }, Sub: { steps: { InnerTidy: { status: 'completed' } } } },
    });
  });

  it.each([
    ['was killed', 'SIGKILL', 0],
    ['was interrupted, once more', 'SIGINT', 1],
  ] as const)('runs the `finally` of a run that %s', async (_, signal, before) => {
    const workspace = new Workspace(tidying);
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    run.child.kill(signal);
    await run.ended;
    const tidied = 'inner\nouter hello\n';
    expect(workspace.has('tidied') ? workspace.read('tidied') : '').toBe(tidied.repeat(before));
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('tidied')).toBe(tidied.repeat(before + 1));
    expect(workspace.state().status).toBe('cancelled');
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
  });

  it('the second time ends the `finally` too', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: A, command: [bash, -c, "touch begun; sleep 300"]}
finally:
  - {name: Tidy, command: [bash, -c, "touch tidying; sleep 300"]}
  - {name: Never, command: [touch, never]}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    await workspace.run(['cancel', 'last']);
    await until(() => workspace.has('tidying'));
    await workspace.run(['cancel', 'last']);
    expect(await run.ended).toMatchObject({ exitCode: 1 });
    expect(workspace.state().status).toBe('cancelled');
    expect(workspace.has('never')).toBe(false);
    expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
  });

  it('lets a running `finally` finish', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: A, command: ["true"]}
finally:
  - {name: Tidy, command: [bash, -c, "touch tidying; until [ -e go ]; do sleep 0.02; done"]}
  - {name: Last, command: [touch, last]}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('tidying'));
    await workspace.run(['cancel', 'last']);
    workspace.write({ go: '' });
    await run.ended;
    expect(workspace.has('last')).toBe(true);
  });

  it('asks no question in the `finally` of a cancelled run', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Ask, approve: {message: "Well?"}}
finally:
  - {name: Tidy, command: [touch, tidied]}
  - {name: Sure, approve: {message: "Really?"}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.has('tidied')).toBe(true);
    expect(workspace.state().status).toBe('cancelled');
  });

  it('does not change a failed run', async () => {
    const workspace = new Workspace({ 'w.yaml': 'steps: [{name: A, command: ["false"]}]\n' });
    await workspace.run(['run', 'w.yaml']);
    const [runId = ''] = workspace.runs();
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({
      exitCode: 0,
      stderr: `run \`${runId}\` has already ended (failed): nothing to do\n`,
    });
    expect(workspace.state()).toMatchObject({ status: 'failed', error: { step: 'A' } });
  });
});

const tidying = {
  'w.yaml': `steps:
  - {name: A, command: [echo, hello]}
  - {name: Sub, call: {workflow: sub.yaml}}
finally:
  - {name: Tidy, command: [bash, -c, "echo outer \${steps.A.output} >> tidied"]}
`,
  'sub.yaml': `steps:
  - {name: Long, command: [bash, -c, "touch begun; sleep 300"]}
finally:
  - {name: InnerTidy, command: [bash, -c, "echo inner >> tidied"]}
`,
};
