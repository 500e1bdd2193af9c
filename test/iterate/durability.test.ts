import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { processStartTime } from '../../src/store/lock.ts';
import { killAt } from '../rig/kill-at.ts';
import { until } from '../rig/orchestrate.ts';
import { refusing, refusingToBeRead } from '../rig/refusing.ts';
import { PASS, Project, status, TASK } from './rig.ts';

const REPORT = 'verification-report.md';
/** The environment of a program whose disk refuses one operation. */
type Refusal = (folder: string) => { readonly [name: string]: string };

const progress = (completed: number) => ({
  complete: completed === 5,
  progress: { completed, total: 5 },
  summary: `${completed} done`,
});

describe('claude-iterate run survives the end of its process', () => {
  it('resumes after a kill in iteration 3 of 5: five are counted, none twice', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status(progress(1)),
        status(progress(2)),
        { hang: true },
        status(progress(3)),
        status(progress(4)),
        status(progress(5)),
      ],
    });
    const first = project.begin(['run', 'task', '--no-delay', '--no-verify']);
    await until(() => project.calls().length === 3);
    expect(project.metadata()).toMatchObject({ executionIterations: 2, run: { iteration: 2 } });
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    expect(project.metadata()).toMatchObject({
      executionIterations: 2,
      totalIterations: 2,
      status: 'in_progress',
    });

    const second = await project.iterate(['run', 'task', '--no-delay', '--no-verify']);
    expect(second.exitCode).toBe(0);
    expect(second.stdout).toContain('Continuing after iteration 2 of 50\nRunning iteration 3...\n');
    expect(second.stdout).not.toContain('Running iteration 1...');
    expect(second.stderr).not.toContain('warning');
    expect(second.stdout).toContain('✓ Task completed successfully after 5 iterations');
    expect(project.metadata()).toMatchObject({
      executionIterations: 5,
      totalIterations: 5,
      status: 'completed',
    });
    expect(project.runs()).toHaveLength(1);
    expect(project.calls()).toHaveLength(6);
    // The processes left by the killed owner have ended.
    expect(processStartTime(project.calls()[2]?.pid ?? 0)).toBeUndefined();
    const log = project.log();
    expect(log.match(/^INSTRUCTIONS$/gm)).toHaveLength(1);
    expect(log.match(/^STATUS: success$/gm)).toHaveLength(5);
  });

  it('keeps correct counts wherever it is killed', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false })] });
    let deaths = 0;
    for (let at = 5; ; at += 3) {
      const ended = await project.iterate(['run', 'task', '--no-delay', '-m', '4', '--quiet'], {
        env: killAt({ when: 'before', kind: 'write', file: 'journal.jsonl', number: at }),
      });
      if (ended.exitCode === 0) break;
      expect(ended.signal).toBe('SIGKILL');
      deaths += 1;
      const { executionIterations, totalIterations } = project.metadata();
      expect(executionIterations).toBe(totalIterations);
      expect(executionIterations).toBeLessThanOrEqual(project.calls().length);
    }
    expect(deaths).toBeGreaterThan(1);
    expect(project.metadata()).toMatchObject({ executionIterations: 4, totalIterations: 4 });
    expect(project.runs().length).toBeLessThanOrEqual(2);
  });

  it('keeps the counts of a later run when an earlier one is resumed, and of a reset', async () => {
    const project = new Project();
    await project.task();
    const open = status({ complete: false });
    const refused = { error: { api_error_status: 401 } };
    project.agent({ calls: [open, open, refused, open, open, open, refused, open, refused, open] });
    const run = async (argv: readonly string[], exitCode: number): Promise<void> => {
      const options = { env: { PATH: project.path } };
      expect(await project.run([...argv, '--quiet'], options)).toMatchObject({ exitCode });
    };
    const loop = ['iterate', 'run', 'task', '--no-delay', '-m'];
    await run([...loop, '4'], 1);
    const [first = ''] = project.runs();
    expect(project.metadata()).toMatchObject({ executionIterations: 2, run: { iteration: 2 } });
    await run([...loop, '3'], 0);
    expect(project.metadata()).toMatchObject({ executionIterations: 5, totalIterations: 5 });
    await run(['resume', first], 1);
    expect(project.metadata()).toMatchObject({ executionIterations: 5, totalIterations: 5 });
    await run(['resume', first], 1);
    expect(project.metadata()).toMatchObject({ executionIterations: 6, totalIterations: 6 });
    await project.iterate(['reset', 'task']);
    await run(['resume', first], 0);
    expect(project.metadata()).toMatchObject({ executionIterations: 1, run: { id: first, iteration: 4 } });
  });

  it.each([2, 3, 4])('continues after the disk refused its metadata (%i)', async (number) => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status(progress(1)), status(progress(5))] });
    const refused = await project.iterate(['run', 'task', '--no-delay', '--no-verify'], {
      env: refusing(project.folder, { kind: 'rename', file: '.metadata.json', number }),
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(ENOSPC)') });
    expect(project.metadata().status).not.toBe('completed');
    const again = await project.run(['resume', 'last', '--quiet'], { env: { PATH: project.path } });
    expect(again).toMatchObject({ exitCode: 0 });
    expect(project.metadata()).toMatchObject({ status: 'completed', executionIterations: 2 });
    expect(project.calls()).toHaveLength(2);
  });

  it('that cannot start on a full disk says so, and starts when there is space', async () => {
    const project = new Project();
    const init = await project.iterate(['init', 'task'], {
      env: refusing(project.folder, { kind: 'write', file: 'TODO.md', number: 1 }),
    });
    expect(init.stderr).toMatch(/^error: cannot create `\S+\/task`: .*\(ENOSPC\)\n$/);
    expect(init.exitCode).toBe(1);
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const run = ['run', 'task', '--no-verify', '--no-delay'];
    const refused = await project.iterate(run, {
      env: refusing(project.folder, { kind: 'write', file: 'journal.jsonl', number: 1 }),
    });
    expect(refused.stderr).toContain('(ENOSPC)');
    expect(refused.stderr).not.toMatch(/internal error|\n {4}at /);
    expect(refused.exitCode).toBe(1);
    expect(project.calls()).toEqual([]);
    expect(await project.iterate(run)).toMatchObject({ exitCode: 0 });
  });

  it('is archived once, even if the workspace cannot be removed', async () => {
    const project = new Project();
    await project.task();
    const save = ['archive', 'save', 'task'];
    const refused = await project.iterate(save, {
      env: refusing(project.folder, { kind: 'rename', file: 'workspaces/task', number: 1 }),
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(ENOSPC)') });
    const [archive] = project.archives();
    expect(await project.iterate(save)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(archive ?? ''),
    });
    expect(project.archives()).toEqual([archive]);
    expect(project.has(TASK)).toBe(false);
  });

  it('is not complete before its metadata records the verification', async () => {
    const project = new Project();
    await project.task();
    const report = `${TASK}/verification-report.md`;
    project.agent({ calls: [status(progress(5))], verifications: [{ files: { [report]: PASS } }] });
    const refused = await project.iterate(['run', 'task', '--no-delay'], {
      env: refusing(project.folder, { kind: 'rename', file: '.metadata.json', number: 3 }),
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(ENOSPC)') });
    const again = await project.run(['resume', 'last', '--quiet'], { env: { PATH: project.path } });
    expect(again).toMatchObject({ exitCode: 0 });
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      verification: { lastVerificationStatus: 'pass', verificationAttempts: 1 },
    });
    expect([project.calls(), project.calls('verifications')].map((calls) => calls.length)).toEqual([1, 1]);
  });

  it.each<[string, Refusal]>([
    ['emptying the report', (folder) => refusing(folder, { kind: 'rename', file: REPORT, number: 1 })],
    ['reading the report', (folder) => refusingToBeRead(folder, { kind: 'open', file: REPORT, number: 1 })],
    [
      'recording the report',
      (folder) => refusing(folder, { kind: 'write', file: '.written.sha256', number: 2 }),
    ],
  ])(
    'verifies once, and keeps no copy of its own report, when the disk refused %s',
    async (_what, refusal) => {
      const project = new Project();
      await project.task();
      const report = `${TASK}/${REPORT}`;
      project.agent({ calls: [status(progress(5))], verifications: [{ files: { [report]: PASS } }] });
      const refused = await project.iterate(['run', 'task', '--no-delay'], { env: refusal(project.folder) });
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/\((?:ENOSPC|EIO)\)/) });
      const again = await project.run(['resume', 'last', '--quiet'], { env: { PATH: project.path } });
      expect(again).toMatchObject({ exitCode: 0 });
      expect(project.metadata()).toMatchObject({ status: 'completed' });
      expect(project.read(report)).toBe(PASS);
      expect(project.list(TASK).filter((name) => name.includes('kept'))).toEqual([]);
      expect([project.calls(), project.calls('verifications')].map((calls) => calls.length)).toEqual([1, 1]);
    },
  );

  it('keeps no copy of the report of a verification that failed', async () => {
    const project = new Project();
    await project.task();
    const report = `${TASK}/${REPORT}`;
    project.agent({
      calls: [status(progress(5))],
      verifications: [
        { files: { [report]: 'half a re' }, error: { api_error_status: 401 }, text: 'no key' },
        { files: { [report]: PASS } },
      ],
    });
    expect(await project.iterate(['run', 'task', '--no-delay'])).toMatchObject({ exitCode: 1 });
    const again = await project.run(['resume', 'last', '--quiet'], { env: { PATH: project.path } });
    expect(again).toMatchObject({ exitCode: 0 });
    expect(project.list(TASK).filter((name) => name.includes('kept'))).toEqual([]);
  });

  it('is interrupted by Ctrl+C: the agent and its children end, the log is complete, the state is correct', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status(progress(1)), { events: [], hang: true }, status(progress(5))] });
    const started = project.begin(['run', 'task', '--no-delay', '--no-verify']);
    await until(() => project.calls().length === 2);
    const { pid } = project.calls()[1] ?? { pid: 0 };
    await until(() => childrenOf(pid).length === 1);
    const [child = 0] = childrenOf(pid);
    process.kill(started.pid, 'SIGINT');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(130);
    expect(ended.stderr).toContain(
      '■ Interrupted by SIGINT after 1 iteration. Continue: claude-iterate run task\n',
    );
    expect(processStartTime(pid)).toBeUndefined();
    expect(processStartTime(child)).toBeUndefined();
    expect(project.metadata()).toMatchObject({ executionIterations: 1, status: 'in_progress' });
    expect(project.log()).toContain('ITERATION 2\n');
    expect(project.log()).toContain('Stop Reason: SIGINT\n');
    expect(project.has(`${TASK}/.lock`)).toBe(false);
    const again = await project.iterate(['run', 'task', '--no-delay', '--no-verify']);
    expect(again.stdout).toContain('Continuing after iteration 1 of 50');
    expect(again.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.runs()).toHaveLength(1);
  });

  it('kills an agent that does not end when it is asked to', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ stubborn: true, hang: true }] });
    const started = project.begin(['run', 'task', '--no-verify']);
    await until(() => project.calls().length === 1);
    const { pid } = project.calls()[0] ?? { pid: 0 };
    await until(() => childrenOf(pid).length === 1);
    process.kill(started.pid, 'SIGINT');
    expect((await started.ended).exitCode).toBe(130);
    expect(fs.existsSync(path.join(project.elsewhere, 'bin', 'calls', 'asked-to-end'))).toBe(true);
    expect(processStartTime(pid)).toBeUndefined();
    expect(project.log()).toContain('Stop Reason: SIGINT\n');
  });

  it('exits at once on a second signal, whatever the agent does with the first', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ stubborn: true, hang: true }] });
    const started = project.begin(['run', 'task', '--no-verify']);
    await until(() => project.calls().length === 1);
    const { pid } = project.calls()[0] ?? { pid: 0 };
    await until(() => childrenOf(pid).length === 1);
    let said = '';
    started.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    process.kill(started.pid, 'SIGINT');
    await until(() =>
      said.includes('Interrupted: stopping running steps. Press Ctrl-C again to force quit.\n'),
    );
    process.kill(started.pid, 'SIGINT');
    expect(await started.ended).toMatchObject({
      exitCode: 130,
      stderr: expect.stringMatching(/\nResume with: claude-iterate run task\n$/),
    });
    expect(processStartTime(pid)).toBeUndefined();
    project.agent({ calls: [status({ complete: true })] });
    const again = await project.iterate(['run', 'task', '--no-verify']);
    expect(again.stdout).toContain('Continuing after iteration 0 of 50\n');
    expect(project.metadata()).toMatchObject({ status: 'completed', executionIterations: 1 });
  });

  it('exits with 143 on SIGTERM', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [{ hang: true }] });
    const started = project.begin(['run', 'task', '--quiet']);
    await until(() => project.calls().length === 1);
    process.kill(started.pid, 'SIGTERM');
    expect((await started.ended).exitCode).toBe(143);
  });

  it('uses new limits and instructions when it is resumed', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: false }), { hang: true }, status({ complete: false })] });
    const started = project.begin(['run', 'task', '--no-delay', '-m', '9']);
    await until(() => project.calls().length === 2);
    process.kill(started.pid, 'SIGKILL');
    await started.ended;
    project.write({ [`${TASK}/INSTRUCTIONS.md`]: 'Do something else.\n' });
    const ended = await project.iterate([
      'run',
      'task',
      '--no-delay',
      '-m',
      '3',
      '--no-verify',
      '--check',
      'true',
    ]);
    expect(ended.stderr).toContain(
      'warning: this run keeps the checks and verification settings it was started with\n',
    );
    expect(ended.stderr).toContain(
      'the instructions have changed; the results of the first iteration are kept\n',
    );
    expect(ended.stdout).toContain('⚠️ Reached maximum iterations (3)');
    expect(project.metadata().executionIterations).toBe(3);
    expect(project.calls().at(-1)?.prompt).toContain('Do something else.');
  });
});

function childrenOf(pid: number): readonly number[] {
  try {
    const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

describe('orchestrate resume', () => {
  it('resumes a failed loop, with its output and counts', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status({ complete: false }),
        { error: { api_error_status: 401 }, text: 'no key' },
        status({ complete: true }),
      ],
    });
    expect((await project.iterate(['run', 'task', '--no-delay', '--no-verify'])).exitCode).toBe(1);
    expect(project.metadata()).toMatchObject({ status: 'error', executionIterations: 1 });
    const ended = await project.run(['resume', 'last'], { env: { PATH: project.path } });
    expect(ended.stdout).toContain('Continuing after iteration 1 of 50\nRunning iteration 2...\n');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(ended.exitCode).toBe(0);
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      stopReason: 'complete',
      executionIterations: 2,
    });
  });

  it('makes no pause where the loop was started without one', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [
        status({ complete: false }),
        { error: { api_error_status: 401 }, text: 'no key' },
        status({ complete: true }),
      ],
    });
    expect((await project.iterate(['run', 'task', '--no-delay', '--no-verify'])).exitCode).toBe(1);
    const ended = await project.run(['resume', 'last', '--json'], { env: { PATH: project.path } });
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).not.toContain('sleep-started');
  });

  it('prints one JSON event per line on request', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [{ error: { api_error_status: 401 }, text: 'no key' }, status({ complete: true })],
    });
    expect((await project.iterate(['run', 'task', '--no-delay', '--no-verify'])).exitCode).toBe(1);
    const ended = await project.run(['resume', 'last', '--json'], { env: { PATH: project.path } });
    const events = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string });
    expect(events.at(0)).toMatchObject({ type: 'run-resumed' });
    expect(events.at(-1)).toMatchObject({ type: 'run-ended', output: { stopReason: 'complete' } });
    expect(project.log()).toContain('EXECUTION SUMMARY');
  });
});
