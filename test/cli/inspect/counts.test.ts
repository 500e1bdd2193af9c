import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../../rig/orchestrate.ts';

/** A step visited three times, a loop, a skipped step, and one that fails at first. */
const yaml = `steps:
  - {name: Try, command: [bash, -c, "echo x >> tries; [ $(wc -l < tries) -ge 3 ]"], on: {failure: {goto: Fix}, success: {goto: Loop}}}
  - {name: Fix, command: [bash, -c, "exit 0"], on: {success: {goto: Try}}}
  - {name: Loop, for_each: {items: [a, b], steps: [{name: Work, command: [echo, "\${item}"]}]}}
  - {name: Never, when: {exists: no-such-file}, command: ["true"]}
  - {name: Last, command: [test, -e, go]}
`;

/** The counts that each view shows. */
async function counts(workspace: Workspace): Promise<{ readonly [view: string]: unknown }> {
  const show = await workspace.run(['show', 'last']);
  const table = (await workspace.run(['runs'])).stdout.split('\n');
  const column = table[0]?.indexOf('STEPS') ?? 0;
  const report = JSON.parse((await workspace.run(['report', 'last', '--format', 'json'])).stdout);
  const doctor = (await workspace.run(['doctor', 'last'])).stdout;
  return {
    show: / took [^,]*, (.*)/.exec(show.stdout)?.[1],
    runs: Number(table[1]?.slice(column, column + 5)),
    report: [report.totals.steps_completed, report.totals.steps_failed, report.totals.steps_skipped],
    rows: report.steps.filter((step: { holds?: boolean }) => step.holds !== true).length,
    doctor: /(\d+) completed steps/.exec(doctor)?.[1],
  };
}

describe('the progress of a run', () => {
  it('is the same in the terminal, `show`, `runs`, the report and `doctor`, also after resuming', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.stderr).toContain('✗ failed  9 steps: 5 done, 3 failed, 1 skipped  ');
    expect(await counts(workspace)).toEqual({
      show: '9 steps: 5 done, 3 failed, 1 skipped',
      runs: 9,
      report: [5, 3, 1],
      rows: 9,
      doctor: '5',
    });
    workspace.write({ go: '' });
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed.stderr).toContain('✓ completed  9 steps: 6 done, 2 failed, 1 skipped  ');
    expect(await counts(workspace)).toEqual({
      show: '9 steps: 6 done, 2 failed, 1 skipped',
      runs: 9,
      report: [6, 2, 1],
      rows: 9,
      doctor: '6',
    });
  });

  it('shows every visit of a step, with how it ended', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml });
    await workspace.run(['run', 'w.yaml']);
    const { stdout } = await workspace.run(['show', 'last']);
    const visits = stdout.split('\n').filter((line) => /^\S (Try|Fix) /.test(line));
    expect(visits.map((line) => line.replace(/ +[\d.]+ m?s /, ' '))).toEqual(
      [
        '✗ Try visit 1  the command ended with exit code 1',
        '✗ Try visit 2  the command ended with exit code 1',
        '✓ Try visit 3',
        '✓ Fix visit 1',
        '✓ Fix visit 2',
      ].map((line) => expect.stringMatching(new RegExp(`^${line.replaceAll(' ', ' +')}$`))),
    );
    const report = JSON.parse((await workspace.run(['report', 'last', '--format', 'json'])).stdout);
    expect(report.steps.map(({ key, status }: { key: string; status: string }) => [key, status])).toEqual([
      ['Try', 'failed'],
      ['Try#2', 'failed'],
      ['Try#3', 'completed'],
      ['Fix', 'completed'],
      ['Fix#2', 'completed'],
      ['Loop', 'completed'],
      ['Loop/0/Work', 'completed'],
      ['Loop/1/Work', 'completed'],
      ['Never', 'skipped'],
      ['Last', 'failed'],
    ]);
  });
});

describe('a step that was running when a run stopped', () => {
  it.each([
    ['SIGINT', 'interrupted by SIGINT', 'the run was interrupted'],
    ['SIGKILL', undefined, 'its process was killed'],
  ] as const)(
    'after %s is interrupted, not running, and is shown as repeated later',
    async (signal, end, why) => {
      const workspace = new Workspace({
        'w.yaml': `steps:
  - name: Both
    parallel:
      branches:
        - {name: slow, steps: [{name: Slow, command: [bash, -c, "[ -e go ] || { touch begun; sleep 300; }"]}]}
        - {name: quick, steps: [{name: Quick, command: ["true"]}]}
`,
      });
      const run = workspace.start(['run', 'w.yaml']);
      await until(
        () =>
          workspace.has('begun') &&
          workspace
            .journal()
            .some((event) => event.key === 'Both/quick/Quick' && event.type === 'step-ended'),
      );
      run.child.kill(signal);
      await run.ended;
      const { stdout } = await workspace.run(['show', 'last']);
      expect(stdout).toMatch(/^■ Both +interrupted/m);
      expect(stdout).toMatch(/^ {4}■ Slow +interrupted/m);
      expect(stdout).not.toMatch(/▶|running/);
      expect(stdout.indexOf('slow:')).toBeLessThan(stdout.indexOf('quick:'));
      const before = (await workspace.run(['explain', 'last'])).stdout;
      if (end !== undefined) expect(before).toContain(`■ the run is ${end}`);

      workspace.write({ go: '' });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
      const after = (await workspace.run(['show', 'last'])).stdout;
      expect(after).toMatch(/^✓ Both/m);
      expect(after).toMatch(/^ {4}✓ Slow .* {2}restarted$/m);
      expect(after.indexOf('slow:')).toBeLessThan(after.indexOf('quick:'));
      expect((await workspace.run(['explain', 'last', 'Slow'])).stdout).toContain(
        `the previous one did not finish because ${why}`,
      );
    },
  );
});
