/** What the agent leaves in `.status.json`, and what an earlier run left there. */
import { describe, expect, it } from 'vitest';
import { startHttpTarget } from '../notify/http-target.ts';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

const FILE = `${TASK}/.status.json`;

describe('a status file that cannot be used', () => {
  it.each([
    ['invalid JSON', '{"complete": tru', /it is not JSON: [^\n]*/],
    ['no `complete`', { summary: 'x' }, /`complete` must be true or false/],
    ['`complete` as text', { complete: 'yes' }, /`complete` must be true or false/],
    [
      'wrong types elsewhere',
      { complete: false, progress: '1 of 3', worked: 'yes' },
      /`progress` has the wrong type; `worked` has the wrong type/,
    ],
  ])('is reported on the console, in the log and to the agent: %s', async (_what, content, words) => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ files: { [FILE]: content } }, status({ complete: true }), {}] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stderr).toMatch(new RegExp(`⚠️ \\.status\\.json cannot be used: ${words.source}\n`));
    expect(project.log()).toMatch(
      new RegExp(`\nWARNING: \\.status\\.json cannot be used: ${words.source}\n`),
    );
    const [first, second] = project.calls().map(({ prompt }) => prompt);
    expect(first).not.toContain('could not be used');
    expect(second).toMatch(
      new RegExp(`^# Your status file could not be used\n\n.*/\\.status\\.json .*${words.source}`),
    );
    expect(ended.exitCode).toBe(0);
  });

  it('is mentioned by `show` even if the rest of it can be used', async () => {
    const project = new Project();
    await project.task();
    project.write({
      [FILE]: JSON.stringify({
        complete: false,
        worked: 1,
        phase: 'tests',
        progress: { completed: 4, total: 3 },
      }),
    });
    const shown = await project.iterate(['show', 'task']);
    expect(shown.stdout).toMatch(/^Status file: +partly unusable: `worked` has the wrong type$/m);
    expect(shown.stdout).toMatch(/^Phase: +tests$/m);
    expect(shown.stdout).toMatch(/^Progress: +4\/3 items \(⚠️ more done than there are\)$/m);
  });
});

describe('what an earlier run left in the status file', () => {
  it('does not abort the next run', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: false, summary: 'stuck', abort: { reason: 'no database' } })],
    });
    expect((await project.iterate(['run', 'task', ...NO_VERIFY])).exitCode).toBe(1);
    project.agent({ calls: [{}, status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(ended.exitCode).toBe(0);
  });
});

describe('the end of the log', () => {
  it.each([
    ['max-iterations', { complete: false }, 'in_progress'],
    ['complete', { complete: true }, 'completed'],
    ['abort', { complete: false, abort: { reason: 'no' } }, 'error'],
  ])('has the status of the workspace: %s', async (reason, value, expected) => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status(value)] });
    await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '1']);
    expect(project.metadata()).toMatchObject({ status: expected, stopReason: reason });
    expect(project.log()).toContain(`\nStatus: ${expected}\nStop Reason: ${reason}\n`);
  });
});

describe('a dry run', () => {
  it('leaves the status, the counters and an unfinished run of the workspace alone, and notifies no one', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url]);
    const before = project.read(`${TASK}/.metadata.json`);
    const ended = await project.iterate(['run', 'task', '--dry-run', '--no-delay']);
    expect(ended.stdout).toContain(
      '✓ Iteration 3 complete (0 items remaining)\nVerifying...\n✓ Verification passed\n',
    );
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
    await project.iterate(['verify', 'task', '--dry-run']);
    expect(project.read(`${TASK}/.metadata.json`)).toBe(before);
    expect(target.received).toEqual([]);

    project.agent({ calls: [status({ complete: false }), { hang: true }, status({ complete: true })] });
    const started = project.begin(['run', 'task', ...NO_VERIFY]);
    await until(() => project.calls().length === 2);
    process.kill(started.pid, 'SIGKILL');
    await started.ended;
    const [run] = project.runs().slice(-1);
    const unfinished = project.read(`${TASK}/.metadata.json`);
    expect(JSON.parse(unfinished)).toMatchObject({ executionIterations: 1, run: { id: run } });
    expect((await project.iterate(['run', 'task', '--dry-run', '--no-delay'])).exitCode).toBe(0);
    expect(project.read(`${TASK}/.metadata.json`)).toBe(unfinished);
    const resumed = await project.iterate(['run', 'task']);
    expect(resumed.stdout).toContain('Continuing after iteration 1 of 50\n');
    expect(project.metadata()).toMatchObject({ executionIterations: 2, run: { id: run } });
  });

  it('leaves what an agent has reported as it is', async () => {
    const project = new Project();
    await project.task();
    const reported = `${JSON.stringify({ complete: true, progress: { completed: 10, total: 10 } })}\n`;
    project.write({ [`${TASK}/.status.json`]: reported });
    const ended = await project.iterate(['run', 'task', '--dry-run', '--no-delay']);
    expect(ended.stdout).toContain('✓ Iteration 3 complete (0 items remaining)\nVerifying...\n');
    expect(project.read(`${TASK}/.status.json`)).toBe(reported);
  });
});

describe('notifications', () => {
  it('say that the maximum was reached, what it cost and what is left', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'error']);
    project.agent({ calls: [status({ complete: false, progress: { completed: 1, total: 4 } })] });
    await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '2']);
    expect(target.received.map(({ body }) => body)).toEqual([
      'MAXIMUM ITERATIONS REACHED ⚠️\n\nIterations: 2/2\nRemaining: 3\nCost: $0.0200',
    ]);
  });

  it('of completion are one message and nothing else', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'completion']);
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ text: '✅ VERIFIED COMPLETE' }],
    });
    expect((await project.iterate(['run', 'task', '--no-delay'])).exitCode).toBe(0);
    expect(target.received.map(({ body }) => body.split('\n', 1)[0])).toEqual(['TASK COMPLETE ✅']);
  });
});
