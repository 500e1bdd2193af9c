import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { markedProcesses } from './runs.ts';

const yaml = `steps:
  - {name: A, command: [bash, -c, "touch begun; setsid sleep 300 & sleep 300"]}
`;

describe('`cancel`', () => {
  it('ends a run that is under way for good, with everything it started', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    const [runId = ''] = workspace.runs();
    const ended = await workspace.run(['cancel', 'last']);
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      `run \`${runId}\`: process ${run.pid} was told to end it\n`,
    ]);
    expect(await run.ended).toMatchObject({ exitCode: 1 });
    expect(workspace.state()).toMatchObject({ status: 'cancelled', error: { message: 'it was cancelled' } });
    expect(markedProcesses(runId)).toEqual([]);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({
      exitCode: 2,
      stderr: `error: run \`${runId}\` was cancelled\nhelp: \`--force-restart\` starts a new one\n`,
    });
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({
      exitCode: 0,
      stderr: `run \`${runId}\` is cancelled: nothing to do\n`,
    });
  });

  it('ends a run whose process was killed, and what that left running', async () => {
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
});
