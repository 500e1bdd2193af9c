import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { processStartTime } from '../../src/store/lock.ts';
import { NO_VERIFY, Project, status } from './rig.ts';

describe('claude-iterate run: failures', () => {
  it('marks the workspace and exits with 1 when the agent fails', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: false }), { error: { api_error_status: 400 }, text: 'too long' }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Iteration 2 failed: the agent rejected the call: too long');
    expect(project.metadata()).toMatchObject({
      status: 'error',
      stopReason: 'failed',
      executionIterations: 1,
    });
    expect(project.log()).toContain('STATUS: error\n');
    expect(project.log()).toContain('ERROR: the agent rejected the call: too long\n');
  });

  it('retries a crashed iteration and counts it once', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 3, delaysSec: [0, 0] } }),
    });
    await project.task();
    project.agent({ calls: [{ crash: 'out of memory' }, { crash: 'again' }, status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.exitCode).toBe(0);
    expect(project.calls()).toHaveLength(3);
    expect(project.metadata().executionIterations).toBe(1);
    project.agent({ calls: [{ crash: 'gone' }] });
    const failed = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      '❌ Iteration 1 failed: the agent ended without a result: exit code 3: gone',
    );
    expect(project.calls()).toHaveLength(3);
  });

  it('says when it retries, as one sentence', async () => {
    const project = new Project({ '.claude-iterate.json': JSON.stringify({ retry: { delaysSec: [0] } }) });
    await project.task();
    const dropped = { error: { api_error_status: 500 }, text: 'Connection dropped. Try again.' };
    project.agent({ calls: [dropped, status({ complete: true })] });
    const { stderr } = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(stderr).toContain(
      "⚠️ iteration 1: the model's API returned an error (HTTP 500): Connection dropped. Try again; retrying at ",
    );
  });

  it.each([
    ['an overload', 529, 'the model is overloaded'],
    ['an error of the model', 500, "the model's API returned an error (HTTP 500): not now"],
  ])('retries after %s', async (_what, code, words) => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ retry: { maxAttempts: 2, delaysSec: [0] } }),
    });
    await project.task();
    const failing = { error: { api_error_status: code }, text: 'not now' };
    project.agent({ calls: [failing, status({ complete: true }), failing] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toContain(`⚠️ iteration 1: ${words}`);
    expect(ended.stdout).toContain('✓ Task completed successfully after 1 iteration\n');
    const failed = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/^❌ Iteration 1 failed: .*not now\n$/);
    expect(project.calls()).toHaveLength(4);
  });

  it('counts an iteration that timed out and continues, but not forever without progress', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status({ complete: false, progress: { completed: 1, total: 2 } }, { hang: true }),
        { hang: true },
        status({ complete: true }),
      ],
    });
    const limit = ['--iteration-timeout', '1'];
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, ...limit]);
    expect(ended.stderr).toContain(
      '⚠️ Iteration 1 was stopped by its time limit (1 item remaining)\n⚠️ Iteration 2 was stopped by its time limit (1 item remaining)\n',
    );
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations\n');
    expect(ended.exitCode).toBe(0);
    expect(project.log()).toContain('STATUS: stopped by its time limit\n');
    project.agent({ calls: [{ hang: true }] });
    const hopeless = await project.iterate(['run', 'task', ...NO_VERIFY, ...limit]);
    expect(hopeless.exitCode).toBe(1);
    expect(hopeless.stderr).toContain('❌ Iteration 3 failed: the agent timed out after 1 s');
    expect(agentsStarted(project)).toBe(3);
    expect(project.metadata()).toMatchObject({ status: 'error', executionIterations: 6 });
  });

  it('stops an idle agent and retries', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({
        idleTimeoutMin: 0.01,
        retry: { maxAttempts: 2, delaysSec: [0] },
      }),
    });
    await project.task();
    project.agent({ calls: [{ hang: true }] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('❌ Iteration 1 failed: the agent was idle for 0.6 s and was stopped');
    expect(agentsStarted(project)).toBe(2);
  });

  it('keeps the result of an agent that hangs afterwards, stops the agent, and continues', async () => {
    const project = new Project({
      // The 60 seconds an agent has to exit elapse at once.
      'no-patience.cjs': `const { setTimeout: later } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => later(call, ms === 60_000 ? 1 : ms, ...rest);`,
    });
    await project.task();
    project.agent({ calls: [status({ complete: true }, { text: 'All is done.', lingers: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--verbose'], {
      env: { NODE_OPTIONS: `--require=${path.join(project.folder, 'no-patience.cjs')}` },
    });
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('All is done.\n');
    expect(ended.stdout).toContain('✓ Task completed successfully after 1 iteration\n');
    expect(project.calls()).toHaveLength(1);
    expect(processStartTime(project.calls()[0]?.pid ?? 0)).toBeUndefined();
    expect(project.metadata()).toMatchObject({ status: 'completed', executionIterations: 1 });
  });

  it('stops between iterations when the budget is used up', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }, { cost: 0.3 })] });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--budget-usd', '0.5']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '❌ Stopped after 2 iterations: the budget of 0.5 USD is used up (0.6000 USD spent)',
    );
    expect(project.metadata()).toMatchObject({
      status: 'in_progress',
      stopReason: 'budget',
      executionIterations: 2,
    });
  });

  it('continues without a log that cannot be written, and reports it once', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), status({ complete: true })] });
    project.write({
      'full-disk.cjs': `const fs = require('node:fs'); const { openSync } = fs;
fs.openSync = (file, ...rest) => { if (String(file).endsWith('.log') && String(file).includes('iterate-')) { const e = new Error('full'); e.code = 'ENOSPC'; throw e; } return openSync(file, ...rest); };`,
    });
    const ended = await project.iterate(['run', 'task', '--no-verify', '--delay', '0'], {
      env: { NODE_OPTIONS: `--require=${path.join(project.folder, 'full-disk.cjs')}` },
    });
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr.match(/cannot write the log/g)).toHaveLength(1);
    expect(ended.stderr).toContain('the disk is full (ENOSPC); the run continues without it');
  });
});

/** Includes agents that were ended before they could record their call. */
function agentsStarted(project: Project): number {
  return project.journal().filter(({ type }) => type === 'process-started').length;
}
