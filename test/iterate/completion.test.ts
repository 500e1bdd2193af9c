import { describe, expect, it } from 'vitest';
import { FAIL, NO_VERIFY, PASS, Project, status, TASK } from './rig.ts';

describe('claude-iterate run: is it really complete?', () => {
  it('does not complete while a check fails, and gives the agent its output', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: true }), status({ complete: true }, { files: { 'green.txt': 'yes' } })],
    });
    const check = `sh -c 'echo looked; test -f green.txt || { echo "no green" >&2; exit 4; }'`;
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--check', check, '--check', 'true']);
    expect(ended.stdout).toContain('Running check 1...\nRunning check 2...\n');
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('❌ Check failed: sh -c ');
    expect(ended.stderr).toContain('the command ended with exit code 4');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    const second = project.calls()[1]?.prompt ?? '';
    expect(second.startsWith('# The task is not complete yet\n')).toBe(true);
    expect(second).toContain('looked\n');
    expect(second).toContain('no green');
    expect(second).toContain('Complete the task.\n');
  });

  it('never completes by a claim alone: a failing check keeps it running to the last iteration', async () => {
    const project = new Project();
    await project.task();
    project.agent({ calls: [status({ complete: true })] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '2', '--check', 'false']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('⚠️ Reached maximum iterations (2)');
    expect(project.metadata().status).toBe('in_progress');
    expect(JSON.parse(project.read(`${TASK}/.status.json`))).toMatchObject({ complete: false });
  });

  it('verifies, continues with the findings, and completes when they are fixed', async () => {
    const project = new Project();
    await project.task();
    const report = `${TASK}/verification-report.md`;
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [report]: FAIL } }, { files: { [report]: PASS } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('❌ Verification failed\nRunning iteration 2...\n');
    expect(ended.stdout).toContain('✓ Verification passed\n✓ Task completed successfully after 2 iterations');
    const second = project.calls()[1]?.prompt ?? '';
    expect(second).toContain('1. There is no test of `add`.\n2. The docs are old.');
    expect(second).toContain('Tests are missing. Still.');
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      verification: { verificationAttempts: 2, lastVerificationStatus: 'pass', verifyResumeCycles: 1 },
    });
    expect(project.calls('verifications')[0]?.prompt).toContain('Complete the task.');
  });

  it('exits with 1 when verification keeps failing', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: FAIL } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '❌ Verification failed: the task is not complete\n  - There is no test of `add`.\n',
    );
    expect(project.calls('verifications')).toHaveLength(2);
    expect(project.metadata()).toMatchObject({ status: 'in_progress', stopReason: 'verification' });
    expect(project.log()).toContain(
      '\nError: verification failed: There is no test of `add`.; The docs are old.\n',
    );
  });

  it('exits with 1 at the first failed verification if resumeOnFail is off', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ verification: { resumeOnFail: false } }),
    });
    await project.task();
    project.agent({
      calls: [status({ complete: true })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: FAIL } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(project.calls()).toHaveLength(1);
    expect(project.metadata()).toMatchObject({
      stopReason: 'verification',
      verification: { verificationAttempts: 1, verifyResumeCycles: 0 },
    });
  });

  it('does not mistake an old report for a new one', async () => {
    const project = new Project({
      '.claude-iterate.json': JSON.stringify({ verification: { maxAttempts: 1 } }),
    });
    await project.task();
    project.write({ [`${TASK}/verification-report.md`]: PASS });
    project.agent({ calls: [status({ complete: true })], verifications: [{ text: 'I looked.' }] });
    const ended = await project.iterate(['run', 'task', '--no-delay']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('\n  - the report has no verdict\n');
    expect(project.metadata().verification).toMatchObject({ lastVerificationStatus: 'needs_review' });
  });
});
