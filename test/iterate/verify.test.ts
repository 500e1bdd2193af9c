import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { FAIL, NO_VERIFY, PASS, Project, status, TASK } from './rig.ts';

describe('validate', () => {
  it('prints the report that the agent wrote', async () => {
    const project = new Project();
    await project.task();
    const report = '# Validation Report\n\n**Score**: 9/10\n';
    project.agent({ validations: [{ files: { [`${TASK}/validation-report.md`]: report } }] });
    const ended = await project.iterate(['validate', 'task']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: report });
    const prompt = project.calls('validations')[0]?.prompt ?? '';
    expect(prompt.match(/^\d+\. /gm)?.length).toBeGreaterThanOrEqual(10);
    expect(prompt).toContain('Complete the task.');
  });
});

describe('verify', () => {
  const REPORT = `${TASK}/verification-report.md`;

  it('exits with 0 on pass and 1 on fail, and prints the result as JSON', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      verifications: [{ files: { [REPORT]: PASS } }, { files: { [REPORT]: FAIL } }, { text: 'nothing' }],
    });
    const passed = await project.iterate(['verify', 'task', '--json']);
    expect(passed).toMatchObject({ exitCode: 0, stderr: 'Verifying task...\n' });
    expect(JSON.parse(passed.stdout)).toEqual({
      status: 'pass',
      summary: 'All there.',
      fullReport: PASS,
      reportPath: REPORT,
      issueCount: 0,
      issues: [],
      confidence: null,
      recommendedAction: null,
    });
    const failed = await project.iterate(['verify', 'task', '--json', '--depth', 'deep']);
    expect(failed.exitCode).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: 'fail',
      summary: 'Tests are missing. Still.',
      issueCount: 2,
      issues: ['There is no test of `add`.', 'The docs are old.'],
      confidence: 'High',
      recommendedAction: 'Write the tests.',
    });
    expect(project.calls('verifications')[1]?.prompt).toContain('as thoroughly as you can');
    const unclear = await project.iterate(['verify', 'task']);
    expect(unclear.exitCode).toBe(1);
    expect(unclear.stdout).toContain('⚠️ Needs review');
    expect(project.metadata().verification).toMatchObject({ lastVerificationStatus: 'needs_review' });
  });

  it('writes the report to the given path and shows it', async () => {
    const project = new Project();
    await project.task();
    project.agent({ verifications: [{ text: PASS }] });
    const ended = await project.iterate(['verify', 'task', '--report-path', 'r.md', '--show-report']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('✅ Verified\nAll there.\nReport: r.md\n');
    expect(ended.stdout).toContain('✅ VERIFIED COMPLETE');
    expect(project.read('r.md')).toBe(PASS);
    expect((await project.iterate(['verify', 'task', '--depth', 'odd'])).exitCode).toBe(1);
  });

  it('that was killed is resumed when no other process works on the workspace', async () => {
    const project = new Project();
    await project.task();
    project.agent({
      verifications: [{ events: [], hang: true }, { text: PASS }],
      calls: [status({ complete: true }, { waitFor: 'go' })],
    });
    const killed = project.begin(['verify', 'task']);
    await until(() => project.calls('verifications').length === 1);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const [run = ''] = project.list('.orchestrate/runs');
    const resume = () => project.run(['resume', run, '--quiet'], { env: { PATH: project.path } });
    const loop = project.begin(['run', 'task', ...NO_VERIFY]);
    await until(() => project.calls().length === 1);
    expect(await resume()).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`error: Workspace is already running: task (process ${loop.pid})\n`),
    });
    project.allow('go');
    expect((await loop.ended).exitCode).toBe(0);
    expect((await resume()).exitCode).toBe(0);
    expect(project.metadata().verification).toMatchObject({ lastVerificationStatus: 'pass' });
    expect(project.has(`${TASK}/.lock`)).toBe(false);
  });
});
