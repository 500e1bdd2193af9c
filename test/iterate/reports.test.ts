/** Summaries of iterations and the report of a night: every figure is that of the journal. */
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import type { LoopReport } from '../../src/model/loop-report.ts';
import { until } from '../rig/orchestrate.ts';
import { FAIL, PASS, Project, status, TASK, type Turn } from './rig.ts';

async function inRepository(): Promise<Project> {
  const project = new Project({ 'README.md': 'old\n', 'old.txt': 'old\n' });
  project.repository();
  await project.task();
  return project;
}

const item = (number: number, more: Turn = {}): Turn =>
  status(
    { complete: number === 2, progress: { completed: number, total: 2 }, summary: `item ${number} | done` },
    { files: { [`item-${number}.txt`]: `${number}\n` }, cost: number / 100, ...more },
  );

function reportFolder(project: Project): string {
  const [folder = ''] = project.list(`${TASK}/reports`).filter((name) => /^\d{8}-\d{6}$/.test(name));
  return `${TASK}/reports/${folder}`;
}

async function reportOf(project: Project): Promise<LoopReport> {
  const { stdout } = await project.iterate(['report', 'task', '--format', 'json']);
  const { loops } = JSON.parse(stdout) as { readonly loops: readonly LoopReport[] };
  const [loop] = loops;
  if (loop === undefined) throw new Error(stdout);
  return loop;
}

describe('the report of a loop', () => {
  it('has what changed, what it cost and what is proven, for each iteration and in total', async () => {
    const project = await inRepository();
    project.agent({
      calls: [
        item(1, { files: { 'item-1.txt': '1\n', 'README.md': 'new\n' } }),
        item(2),
        item(2, { cost: 0.05, files: { 'proof.txt': 'yes\n' } }),
      ],
      verifications: [
        { text: FAIL, cost: 0.1 },
        { text: PASS, cost: 0.2 },
      ],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--check', 'test -f item-1.txt']);
    expect(ended.exitCode).toBe(0);
    const report = await reportOf(project);
    expect(report).toMatchObject({ name: 'task', status: 'completed', stop_reason: 'complete', resumed: 0 });
    expect(report.totals).toMatchObject({
      iterations: 3,
      files_changed: 4,
      agent_calls: 5,
      unknown_cost_calls: 0,
    });
    expect(report.totals.cost_usd).toBeCloseTo(0.01 + 0.02 + 0.05 + 0.1 + 0.2, 10);
    expect(report.totals.tokens).toEqual({ input: 50, output: 25 });
    const { cost_usd, agent_calls, tokens } = project.state().totals;
    expect(report.totals).toMatchObject({ cost_usd, agent_calls, tokens });
    expect(report.iterations.map(({ files }) => files)).toEqual([
      [
        { path: 'README.md', change: 'modified' },
        { path: 'item-1.txt', change: 'added' },
      ],
      [{ path: 'item-2.txt', change: 'added' }],
      [{ path: 'proof.txt', change: 'added' }],
    ]);
    expect(report.iterations.map(({ verification }) => verification)).toEqual([undefined, 'fail', 'pass']);
    expect(report.proof).toEqual({
      ...{ type: 'verified', checks_passed: 1, checks: 1, verification: 'pass', false_claims: 1 },
    });

    const markdown = project.read(`${reportFolder(project)}/report.md`);
    expect(markdown).toContain('# task: completed (complete)\n');
    expect(markdown).toContain(
      '| task | completed (complete) | 3 | 4 | $0.3800 (5 agent calls) | 50 in, 25 out | ',
    );
    expect(markdown).toContain(
      'verified by another agent call, 1 of 1 check passed; 1 false claim of completion rejected |\n',
    );
    expect(markdown).toContain('item 1 \\| done |\n');
    const second = project.read(`${reportFolder(project)}/iteration-002.md`);
    expect(second).toContain('# task: iteration 2\n\nitem 2 \\| done\n');
    expect(second).toContain('| Cost | $0.1200 (2 agent calls) |\n');
    expect(second).toContain(
      '| Files changed | 1 file |\n| Checks | 1/1 passed |\n| Verification | fail |\n',
    );
    expect(second).toContain('## Files\n\n- added item-2.txt\n\n## Checks\n\n- ✓ test -f item-1.txt (');
    const html = project.read(`${reportFolder(project)}/report.html`);
    expect(html).toContain('<h1>task: completed (complete)</h1>');
    expect(html).toContain('<td>$0.3800 (5 agent calls)</td>');
    expect(html).not.toContain('<script');
  });

  it('adds up from the times and costs of the journal', async () => {
    const project = await inRepository();
    project.agent({
      calls: [
        { crash: 'boom', exitCode: 7 },
        item(1),
        { error: { api_error_status: 529, total_cost_usd: 0.3 } },
        item(2),
      ],
    });
    await project.iterate(['config', '-w', 'task', 'retry.delaysSec', '[0]']);
    const ended = await project.iterate(['run', 'task', '--no-delay', '--no-verify']);
    expect(ended.exitCode).toBe(0);
    const report = await reportOf(project);
    const journal = project.journal() as readonly JournalEvent[];
    const spans = new Map<string, number>();
    let worked = 0;
    let cost = 0;
    let calls = 0;
    for (const event of journal) {
      if (event.type === 'step-started' && /^iteration\/\d$/.test(event.key))
        spans.set(event.key, Date.parse(event.at));
      if (event.type !== 'step-ended' && event.type !== 'attempt-ended') continue;
      const since = spans.get(event.key);
      if (since !== undefined) worked += Date.parse(event.at) - since;
      spans.delete(event.key);
      const output =
        event.type === 'attempt-ended' ? event : (event.output as { spent?: { costUsd: number | null } });
      if (output.spent === undefined) continue;
      calls += 1;
      cost += output.spent.costUsd ?? 0;
    }
    expect(report.totals).toMatchObject({
      worked_ms: worked,
      agent_calls: calls,
      cost_usd: cost,
      iterations: 2,
    });
    expect(report.totals.agent_calls).toBe(4);
    expect(report.proof).toMatchObject({ type: 'claimed', checks: 0 });
  });

  it('says what is unknown: costs, and files without version control', async () => {
    const project = new Project();
    await project.task();
    const ended = await project.iterate([
      'run',
      'task',
      '--no-delay',
      '-m',
      '1',
      '--no-verify',
      '--agent',
      'cat',
    ]);
    expect(ended.exitCode).toBe(0);
    const report = await reportOf(project);
    expect(report.totals).toMatchObject({ files_changed: null, agent_calls: 1, unknown_cost_calls: 1 });
    expect(report.totals.unknown_token_calls).toBe(1);
    expect(report.iterations.map((each) => each.unknown_token_calls)).toEqual([1]);
    expect(project.state().totals).toMatchObject({ unknown_cost_calls: 1, unknown_token_calls: 1 });
    const [runId = ''] = project.runs();
    expect((await project.run(['show', runId])).stdout).toContain(
      'cost unknown, 1 agent call, tokens unknown\n',
    );
    const costs = await project.run(['costs', '--by', 'workflow']);
    expect(costs.stdout).toMatch(/task \(iterate\) +1 +1 +unknown +unknown +unknown +1 call\n/);
    const { total } = JSON.parse((await project.run(['costs', '--json'])).stdout) as { total: object };
    expect(total).toMatchObject({ agent_calls: 1, unknown_cost_calls: 1, unknown_token_calls: 1 });
    expect((await project.run(['report', runId])).stdout).toContain('| Tokens | unknown |');
    expect(report.proof.type).toBe('none');
    const markdown = project.read(`${reportFolder(project)}/report.md`);
    expect(markdown).toContain(
      '| task | incomplete (max-iterations) | 1 | unknown | unknown (1 agent call) | unknown |',
    );
  });

  it('of a night has every run that worked in it, also one that was started before, but no dry run', async () => {
    const project = await inRepository();
    const [early, late] = [item(1, { cost: 0.25 }), item(1, { cost: 0.5 })];
    project.agent({ calls: [early, { ...late, waitFor: 'go' }, item(1, { cost: 1 })] });
    const run = ['run', 'task', '--no-delay', '--no-verify', '-m', '1'];
    await project.iterate(run);
    const started = project.begin(run);
    await until(() => project.calls().length === 2);
    const since = new Date().toISOString();
    project.allow('go');
    await started.ended;
    await project.iterate(run);
    await project.iterate([...run, '--dry-run']);
    await project.iterate(['verify', 'task', '--dry-run']);
    const night = async (...flags: readonly string[]): Promise<string> =>
      (await project.iterate(['report', ...flags])).stdout;
    const all = await night();
    expect(all).toMatch(/^# 1 loop in 3 runs, \d{4}-/);
    expect(all).toMatch(/^\| Total \| {2}\| 3 \| 1 \| \$1\.75 \(3 agent calls\) \|/m);
    const recent = await night('--since', since);
    expect(recent).toMatch(/^# 1 loop in 2 runs, \d{4}-/);
    expect(recent).toMatch(/^\| Total \| {2}\| 2 \| 0 \| \$1\.50 \(2 agent calls\) \|/m);
    // A loop that is named: its last run.
    expect(await night('task')).toMatch(/^# task: incomplete \(max-iterations\)\n/);
  });

  it('of all loops of a night has their totals', async () => {
    const project = await inRepository();
    project.agent({ calls: [item(1, { cost: 0.25 })] });
    await project.iterate(['run', 'task', '--no-delay', '--no-verify', '-m', '1']);
    await project.iterate(['init', 'other']);
    project.write({ 'claude-iterate/workspaces/other/INSTRUCTIONS.md': 'More.\n' });
    await project.iterate(['run', 'other', '--no-delay', '--no-verify', '-m', '2']);
    const { stdout, stderr } = await project.iterate(['report', '--since', '1h']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^# 2 loops, \d{4}-/);
    expect(stdout).toMatch(
      /^\| task \| incomplete \(max-iterations\) \| 1 \| 1 \| \$0\.2500 \(1 agent call\) \|/m,
    );
    expect(stdout).toMatch(/^\| other \| incomplete \(max-iterations\) \| 2 \| /m);
    expect(stdout).toMatch(/^\| Total \| {2}\| 3 \| /m);
    expect(stdout).toContain('\n## task\n');
    // What is unknown of one loop does not hide what is known of the others.
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'no' }] });
    await project.iterate(['init', 'third']);
    project.write({ 'claude-iterate/workspaces/third/INSTRUCTIONS.md': 'More.\n' });
    await project.iterate(['run', 'third', '--no-delay', '--no-verify']);
    const three = (await project.iterate(['report', '--since', '1h'])).stdout;
    expect(three).toMatch(/^\| third \| failed \| 0 \| unknown \| /m);
    expect(three).toMatch(/^\| Total \| {2}\| 3 \| 1 \+ 1 loop unknown \| /m);
    const none = await project.iterate(['report', '--since', '2099-01-01']);
    expect(none.stderr).toContain('error: no loop was run since 2099-01-01T00:00:00.000Z\n');
    expect(none.exitCode).toBe(1);
    const html = await project.iterate(['report', '--output', 'night.html']);
    expect(html.stderr).toBe('wrote night.html\n');
    expect(project.read('night.html')).toContain('<title>3 loops, ');
  });
});
