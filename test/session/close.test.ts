import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { commandTask, SessionWorkspace, task } from './rig.ts';

describe('a task', () => {
  it('is completed by hand with a summary, which reaches the tasks that depend on it', async () => {
    const workspace = new SessionWorkspace({ 'notes.md': '# Done by hand\n\nThe port is 8080.\n' });
    await workspace.begin([task('IMPL-1'), task('IMPL-2', { context: { depends_on: ['IMPL-1'] } })]);
    const done = await workspace.ok(['task', 'done', 'IMPL-1', '--file', 'notes.md']);
    expect(done.stderr).toBe('`IMPL-1` is completed\n');
    expect(workspace.task('IMPL-1')).toMatchObject({
      status: 'completed',
      summary: { text: '# Done by hand\n\nThe port is 8080.' },
    });
    expect(workspace.read('.workflow/WFS-work/.summaries/IMPL-1-summary.md')).toContain('The port is 8080.');
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(workspace.prompts()[0]?.prompt).toContain(
      '### IMPL-1: Do IMPL-1\n\n# Done by hand\n\nThe port is 8080.',
    );
  });

  it('takes its summary from standard input', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    const started = workspace.start(['task', 'done', 'IMPL-1', '--summary', '-'], {
      input: 'From a pipe.\n',
    });
    expect(await started.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.task('IMPL-1')['summary']).toEqual({ text: 'From a pipe.' });
  });

  it('is reopened, and executed again by the next run', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'echo x >> log')]);
    await workspace.ok(['execute']);
    expect((await workspace.ok(['task', 'reopen', 'IMPL-1'])).stderr).toBe('`IMPL-1` is open again\n');
    expect(workspace.has('.workflow/WFS-work/.summaries/IMPL-1-summary.md')).toBe(false);
    expect(await workspace.run(['task', 'reopen', 'IMPL-1'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: `IMPL-1` is already open\n',
    });
    await workspace.ok(['execute']);
    expect(workspace.read('log')).toBe('x\nx\n');
  });

  it('cannot be closed while a run works on it, and is not ready', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'touch begun; while ! test -e go; do sleep 0.02; done')]);
    const run = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    expect((await workspace.run(['task', 'done', 'IMPL-1'])).stderr).toMatch(
      /^error: run `.*` is working on `IMPL-1`\nhelp: wait for it, or cancel the run\n$/,
    );
    expect((await workspace.ok(['task', 'list', '--ready'])).stderr).toBe('no task matches\n');
    workspace.write({ go: '' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
  });
});

describe('a completed session', () => {
  it('is reopened from the archives and is active again', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1', { status: 'completed' })]);
    await workspace.ok(['session', 'complete']);
    expect((await workspace.ok(['session', 'reopen', 'work'])).stderr).toBe('`WFS-work` is active\n');
    expect(workspace.markers()).toEqual(['.active-WFS-work']);
    expect(workspace.session()['status']).toBe('active');
    expect(JSON.parse(workspace.read('.workflow/archives/manifest.json'))).toEqual({
      version: 1,
      archives: [],
    });
    expect((await workspace.run(['session', 'reopen', 'work'])).stderr).toBe(
      'error: session `WFS-work` is not completed\nhelp: use `orchestrate session switch WFS-work`\n',
    );
  });
});

describe('session status', () => {
  it('shows questions, and cost and time of each task', async () => {
    const workspace = new SessionWorkspace();
    const asks = [
      { step: 'check', action: 'Look', command: 'bash(exit 1)', on_error: 'manual_intervention' },
    ];
    await workspace.begin([task('IMPL-1', { flow_control: { pre_analysis: asks } }), task('IMPL-2')]);
    expect((await workspace.run(['execute'], { env: workspace.standInClaude() })).exitCode).toBe(3);
    const [run] = workspace.runs();
    const status = (await workspace.ok(['session', 'status'])).stdout;
    expect(status).toContain('  ◐ IMPL-1  Do IMPL-1  waiting for an answer (code-developer)\n');
    expect(status).not.toContain('\nready:');
    expect(status).toMatch(/ {2}● IMPL-2 {2}Do IMPL-2 {2}[\d.]+ m?s {2}\$0\.0100\n/);
    expect(status).toContain(
      `\nquestion: IMPL-1: step \`check\` (Look) failed: the command ended with exit code 1\n  orchestrate approve ${run} IMPL-1/check --choose continue|skip|fail\n`,
    );
    const json = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(json.tree[0]).toMatchObject({ status: 'active', activity: 'waiting for an answer' });
    expect(json.questions).toMatchObject([{ run_id: run, key: 'IMPL-1/check' }]);
    expect(json.tree[1]).toMatchObject({ id: 'IMPL-2', cost_usd: 0.01, worked_ms: expect.any(Number) });
  });
});

describe('the cost of a session', () => {
  it('counts every call of unknown cost, also of a task that has no others', async () => {
    const workspace = new SessionWorkspace();
    const paid = { status: 'completed', execution: { attempts: 1, cost_usd: 0.25 } };
    await workspace.begin([task('IMPL-1', paid), task('IMPL-2')]);
    const agent = 'sh -c "cat > /dev/null; echo done"';
    expect(await workspace.run(['execute', '--agent', agent])).toMatchObject({ exitCode: 1 });
    expect(workspace.state().totals).toMatchObject({ agent_calls: 2, unknown_cost_calls: 2 });
    expect(workspace.task('IMPL-2')['execution']).toMatchObject({ cost_usd: null, unknown_cost_calls: 1 });
    const { stdout } = await workspace.ok(['session', 'status']);
    expect(stdout).toContain('  cost: $0.2500 + 2 calls of unknown cost\n');
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(status.cost).toEqual({ cost_usd: 0.25, agent_calls: 3, unknown_cost_calls: 2 });
  });
});

describe('plan', () => {
  it('sends a rejected plan back in the same conversation, with the findings, and shows them', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(`
      const good = { id: 'IMPL-1', title: 'Do it', meta: { type: 'feature' }, context: { requirements: [], focus_paths: [], acceptance: [], depends_on: [] }, flow_control: {} };
      const bad = { ...good, context: { ...good.context, depends_on: ['IMPL-9'] } };
      return { raw: { tasks: [prompt.startsWith('Your last answer was rejected') ? good : bad] } };
    `);
    const planned = await workspace.ok(['plan', 'Something'], { env });
    expect(planned.stdout).toBe('IMPL-1\n');
    const [first, second] = workspace.prompts();
    expect(first?.argv.join(' ')).not.toContain('00000000-0000-4000-8000-000000000001');
    expect(second?.argv.join(' ')).toContain('00000000-0000-4000-8000-000000000001');
    expect(second?.prompt).toBe(
      'Your last answer was rejected:\n\n- tasks[0].context.depends_on[0]: names `IMPL-9`, which does not exist\n\nFix these problems and give the complete answer again.\n',
    );
    expect(planned.stderr).toContain(
      'plan rejected: tasks[0].context.depends_on[0]: names `IMPL-9`, which does not exist',
    );
  });

  it('takes several issues, from a file or from the GitHub CLI', async () => {
    const issues = [
      { number: 7, title: 'Crash on start', body: 'It crashes.', labels: [{ name: 'bug' }] },
      { number: 9, title: 'Dark mode', body: 'Please.', labels: [] },
    ];
    const workspace = new SessionWorkspace({ 'issues.json': JSON.stringify(issues) });
    const env = workspace.standInClaude(
      "return { raw: { tasks: [{ title: 'Do it', id: 'IMPL-1', meta: { type: 'feature' }, context: { requirements: [], focus_paths: [], acceptance: [], depends_on: [] }, flow_control: {} }] } };",
    );
    await workspace.ok(['plan', '--issues', 'issues.json'], { env });
    const request = '## #7 Crash on start\n\nLabels: bug\n\nIt crashes.\n\n## #9 Dark mode\n\nPlease.\n';
    expect(workspace.prompts()[0]?.prompt).toContain(request);
    workspace.standIn('gh', `#!/bin/sh\necho "$@" > gh-argv\ncat issues.json\n`);
    await workspace.run(['plan', '--issues', 'gh:bug'], { env });
    expect(workspace.read('gh-argv')).toBe(
      'issue list --state open --json number,title,body,labels --label=bug\n',
    );
    expect(workspace.prompts()[1]?.prompt).toContain(request);
    workspace.write({ 'empty.json': '[]' });
    expect((await workspace.run(['plan', '--issues', 'empty.json'])).stderr).toMatch(
      /^error: no issues found\n/,
    );
  });
});
