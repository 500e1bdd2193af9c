import { describe, expect, it } from 'vitest';
import { type Ended, until } from '../rig/orchestrate.ts';
import { Project, status, TASK } from './rig.ts';

describe('one loop per workspace', () => {
  it('refuses a second run with the pid of the first', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ waitFor: 'go', ...status({ complete: true }) }] });
    const first = project.begin(['run', 'task', '--no-verify']);
    await until(() => project.calls().length === 1);
    const second = await project.iterate(['run', 'task']);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toBe(
      `error: Workspace is already running: task (process ${first.pid})\nhelp: stop it after its current iteration: claude-iterate stop task\n`,
    );
    for (const command of [
      ['reset', 'task'],
      ['clean', 'task', '-f'],
      ['archive', 'save', 'task'],
    ]) {
      expect((await project.iterate(command)).exitCode, command.join(' ')).toBe(1);
    }
    project.allow('go');
    expect((await first.ended).exitCode).toBe(0);
    expect(project.calls()).toHaveLength(1);
  });

  it('stops after the current iteration on request', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ waitFor: 'go', ...status({ complete: false }) }] });
    const none = await project.iterate(['stop', 'task']);
    expect(none).toMatchObject({ exitCode: 1, stderr: 'error: Workspace is not running: task\n' });
    const started = project.begin(['run', 'task', '--no-delay']);
    await until(() => project.calls().length === 1);
    expect((await project.iterate(['stop', 'task'])).exitCode).toBe(0);
    project.allow('go');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('■ Stopped after 1 iteration\n');
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'stopped',
      executionIterations: 1,
    });
    expect(project.has(`${TASK}/.stop`)).toBe(false);
  });
});

describe('a usage limit', () => {
  it('in iteration 2 makes the loop wait and repeat the iteration without counting it', async () => {
    const project = new Project();
    await project.task();
    const resetsAt = Math.ceil(Date.now() / 1000) + 1;
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
    project.agent({
      calls: [
        status({ complete: false }),
        { events: [limit], error: { api_error_status: 429 }, text: "You've hit your limit" },
        status({ complete: true }),
      ],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--no-verify', '-m', '2']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toMatch(/⚠️ Usage limit reached; retrying iteration 2 at .*\n/);
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.calls()).toHaveLength(3);
    expect(project.metadata().executionIterations).toBe(2);
  });
});

describe('stop', () => {
  const limit = {
    events: [
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: Math.ceil(Date.now() / 1000) + 3600 },
      },
    ],
    error: { api_error_status: 429, total_cost_usd: 0.02 },
    text: "You've hit your limit",
  };

  /** Runs the loop until it waits, then asks it to stop. */
  async function stopped(
    project: Project,
    flags: readonly string[],
    { waits, says }: { readonly waits: () => boolean; readonly says: string },
  ): Promise<Ended> {
    const started = project.begin(['run', 'task', ...flags]);
    await until(waits);
    const asked = await project.iterate(['stop', 'task']);
    expect(asked.stdout).toBe(`✓ task ${says} (process ${started.pid})\n`);
    const ended = await started.ended;
    expect(ended.exitCode).toBe(0);
    expect(project.has(`${TASK}/.stop`)).toBe(false);
    return ended;
  }

  it('ends the wait for a usage limit, counts what was done, and the next run starts from 1', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), limit, status({ complete: true })] });
    const ended = await stopped(project, ['--no-delay', '--no-verify'], atLimit(project, 'attempt-ended'));
    expect(ended.stderr).toMatch(/⚠️ Usage limit reached; retrying iteration 2 at .*\n$/);
    expect(ended.stdout).toContain('■ Stopped after 1 iteration\n');
    expect(ended.stdout).toContain('  Cost: $0.0300\n');
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'stopped',
      executionIterations: 1,
      totalIterations: 1,
      run: { iteration: 1 },
    });
    expect(project.log()).toContain('STATUS: stopped\n');
    expect(project.state()).toMatchObject({ status: 'completed', totals: { cost_usd: 0.03 } });
    const again = await project.iterate(['run', 'task', '--no-delay', '--no-verify']);
    expect(again.stdout).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(project.metadata().executionIterations).toBe(2);
  });

  it('ends a wait inherited from a killed run', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [limit] });
    const killed = project.begin(['run', 'task']);
    await until(() => has(project, 'attempt-ended'));
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const ended = await stopped(project, [], atLimit(project, 'run-resumed'));
    expect(ended.stdout).toContain('■ Stopped after 0 iterations\n');
    expect(project.calls()).toHaveLength(1);
    expect(project.metadata()).toMatchObject({ stopReason: 'stopped', executionIterations: 0 });
  });

  it('ends the wait of a verification for a usage limit', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })], verifications: [limit] });
    await stopped(project, [], atLimit(project, 'attempt-ended'));
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'stopped',
      executionIterations: 1,
    });
  });

  it('ends the delay before a retry and the delay between iterations', async () => {
    const project = new Project({ '.claude-iterate.json': JSON.stringify({ retry: { delaysSec: [3600] } }) });
    await project.task(['--delay', '3600']);
    project.agent({ calls: [{ crash: 'out of memory' }] });
    await stopped(project, [], inDelay(project, 'attempt-ended'));
    expect(project.metadata()).toMatchObject({ stopReason: 'stopped', executionIterations: 0 });
    project.agent({ calls: [status({ complete: false })] });
    await stopped(project, [], inDelay(project, 'sleep-started'));
    expect(project.metadata()).toMatchObject({ stopReason: 'stopped', executionIterations: 1 });
  });
});

function atLimit(project: Project, event: string) {
  return { waits: () => has(project, event), says: 'is stopping now' };
}

function inDelay(project: Project, event: string) {
  return { waits: () => has(project, event), says: 'stops when its current iteration ends' };
}

/** Whether the newest run has reached such an event. */
function has(project: Project, type: string): boolean {
  return project.runs().length > 0 && project.journal().some((event) => event.type === type);
}
