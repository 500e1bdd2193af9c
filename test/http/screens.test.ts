/** What each screen asks for, and what its buttons do. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_VERIFY, Project, status } from '../iterate/rig.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';

/** A repository with these files as its first commit. */
function withGit(files: { readonly [path: string]: string }): Workspace {
  const workspace = new Workspace({ ...files, '.gitignore': '.orchestrate\n' });
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...argv], {
      cwd: workspace.folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'start');
  return workspace;
}

describe('the schedule', () => {
  const SITE = {
    'workflows/night.yaml':
      'name: night\nschedule: [{cron: "0 0 1 1 *", timezone: UTC, context: {a: 1}}]\nsteps: [{name: A, command: ["true"]}]\n',
    'workflows/bad.yaml':
      'name: bad\nschedule: [{cron: "61 * * * *"}]\nsteps: [{name: A, command: ["true"]}]\n',
    'once.yaml': 'name: once\nsteps: [{name: A, command: ["true"]}]\n',
  };

  it('shows its times, the queue, and that nothing keeps it; pausing and resuming is shown at once', async () => {
    const workspace = new Workspace(SITE);
    const page = await servePage(workspace);
    const year = new Date().getUTCFullYear() + 1;
    const { body } = await page.get('schedule?starts=2');
    expect(body).toMatchObject({
      keeper: null,
      max_runs: 4,
      schedules: [
        {
          ...{ file: 'workflows/night.yaml', workflow: 'night', cron: '0 0 1 1 *', timezone: 'UTC' },
          ...{ context: { a: 1 }, paused: false, next: `${year}-01-01T00:00:00.000Z`, last: null },
        },
      ],
      next: [{ at: `${year}-01-01T00:00:00.000Z` }, { at: `${year + 1}-01-01T00:00:00.000Z` }],
      queue: [],
      invalid: [{ file: 'workflows/bad.yaml', problem: '`61` is not valid as minute (0 to 59)' }],
    });
    expect((await page.act({ command: 'schedule-pause', workflow: 'night' })).body).toEqual({
      ok: true,
      said: '`workflows/night.yaml` is paused.',
    });
    expect((await page.get('schedule')).body).toMatchObject({
      schedules: [{ paused: true, next: null }],
      next: [],
    });
    expect((await page.act({ command: 'schedule-resume', workflow: 'night' })).body.said).toBe(
      '`workflows/night.yaml` is scheduled again.',
    );
    expect((await page.get('schedule')).body.schedules[0].paused).toBe(false);
    expect(await page.act({ command: 'schedule-pause', workflow: 'nigth' })).toMatchObject({
      status: 404,
      body: { ok: false, said: 'no workflow `nigth` with a schedule; did you mean `night`?' },
    });
  });

  it('queues runs, changes their order and removes them', async () => {
    const workspace = new Workspace(SITE);
    const page = await servePage(workspace);
    for (let each = 0; each < 2; each += 1)
      expect((await page.act({ command: 'run-queue', file: 'once.yaml' })).body.said).toMatch(
        /^Queued run 2/,
      );
    const [first, second] = (await page.get('schedule')).body.queue;
    expect(await page.act({ command: 'schedule-move', run: second.run_id, priority: 5 })).toMatchObject({
      body: { ok: true, said: `Run ${second.run_id} has priority 5.` },
    });
    expect((await page.act({ command: 'schedule-move', run: second.run_id, priority: 1.5 })).status).toBe(
      400,
    );
    expect((await page.get('schedule')).body.queue.map(({ run_id }: { run_id: string }) => run_id)).toEqual([
      second.run_id,
      first.run_id,
    ]);
    expect((await page.act({ command: 'schedule-drop', run: second.run_id })).body.said).toBe(
      `Removed run ${second.run_id} from the queue.`,
    );
    expect((await page.get('schedule')).body.queue).toHaveLength(1);
    expect(workspace.runs()).toEqual([]);
  });

  it('is a topic of the live events, like the other screens without a journal', async () => {
    const workspace = new Workspace(SITE);
    const page = await servePage(workspace);
    const ask = async (after = '') =>
      (await page.ask(`/api/v1/events?wait=0&topics=schedule,loops,phases&after=${after}`)).body;
    const first = await ask();
    expect(first.messages).toMatchObject([
      { topic: 'schedule', changed: true },
      { topic: 'loops', changed: true },
      { topic: 'phases', changed: true },
    ]);
    expect((await ask(first.cursor)).messages).toEqual([]);
    await page.act({ command: 'schedule-pause', workflow: 'night' });
    let changed = await ask(first.cursor);
    while (changed.messages.length === 0) changed = await ask(first.cursor);
    expect(changed.messages).toMatchObject([{ topic: 'schedule', changed: true }]);
  });
});

describe('a step', () => {
  it('has the files that its isolated work changed, with their diff, and those that its proof checked', async () => {
    const workspace = withGit({
      'w.yaml':
        'name: w\nsteps:\n  - name: Fix\n    isolate: {worktree: true}\n    command: [bash, -c, "echo new > a.txt; echo old >> b.txt"]\n  - name: Check\n    command: ["true"]\n    expect: {files: [b.txt]}\n  - name: Plain\n    command: ["true"]\n',
      'b.txt': 'old\n',
    });
    expect(await workspace.run(['run', 'w.yaml', '--quiet'])).toMatchObject({ exitCode: 0 });
    const [runId = ''] = workspace.runs();
    const page = await servePage(workspace);
    const at = (step: string, aspect: string) => page.get(`runs/${runId}/steps/${step}/${aspect}`);
    expect((await at('Fix', 'files')).body).toEqual({
      files: [
        { path: 'a.txt', change: 'added' },
        { path: 'b.txt', change: 'modified' },
      ],
      has_diff: true,
    });
    const { diffs } = (await at('Fix', 'diff')).body;
    expect(diffs).toEqual(JSON.parse((await workspace.run(['diff', runId, 'Fix', '--json'])).stdout));
    expect(diffs[0].patch).toContain('+new');
    expect((await at('Check', 'files')).body).toEqual({
      files: [{ path: 'b.txt', change: 'proven' }],
      has_diff: false,
    });
    expect((await at('Plain', 'files')).body).toEqual({ files: [], has_diff: false });
    expect(await at('Plain', 'diff')).toMatchObject({
      status: 404,
      body: { problem: { message: 'this step has no diff' } },
    });
  });

  it('that failed is retried in its run; one that completed, in a fork', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'name: w\nsteps:\n  - { name: A, command: [bash, -c, "echo a >> log"] }\n  - { name: B, command: [test, -e, go] }\n',
    });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    workspace.write({ go: '' });
    const page = await servePage(workspace);
    expect((await page.act({ command: 'retry', run: runId, step: 'B' })).body).toEqual({
      ...{ ok: true, said: 'Retrying `B`.', run: runId },
    });
    await until(() => workspace.state(runId).status === 'completed');
    expect(workspace.read('log')).toBe('a\n');
    const { body } = await page.act({ command: 'retry', run: runId, step: 'A' });
    expect(body).toMatchObject({ ok: true, said: 'Started a new run from `A`.' });
    expect(body.run).not.toBe(runId);
    await until(() => workspace.hasState(body.run) && workspace.state(body.run).status === 'completed');
    expect(workspace.read('log')).toBe('a\na\n');
    expect((await page.act({ command: 'retry', run: runId, step: 'Nope' })).status).toBe(404);
  });

  it('whose failure did not end the run is retried in a fork: a resume would keep its record', async () => {
    const workspace = new Workspace({
      'w.mjs': `import { workflow } from 'orchestrate-run';
export default workflow({ name: 'w', async run(ctx) {
  try { await ctx.command('Probe', ['sh', '-c', 'echo x >> probed; exit 4']); } catch {}
  await ctx.command('Work', ['test', '-e', 'go']);
} });
`,
      'w.yaml':
        'name: w\nsteps:\n  - { name: Probe, command: [bash, -c, "echo x >> probed; exit 4"], allow_failure: true }\n  - { name: Work, command: [test, -e, go] }\n',
    });
    const page = await servePage(workspace);
    for (const [index, file] of ['w.mjs', 'w.yaml'].entries()) {
      const before = workspace.runs();
      await workspace.run(['run', file, '--quiet']);
      const run = workspace.runs().find((each) => !before.includes(each));
      const { body } = await page.act({ command: 'retry', run, step: 'Probe' });
      expect(body).toMatchObject({ ok: true, said: 'Started a new run from `Probe`.' });
      await until(() => workspace.hasState(body.run) && workspace.state(body.run).status === 'failed');
      expect(workspace.read('probed')).toBe('x\n'.repeat(2 * (index + 1)));
    }
  });

  it('is in the part of the timeline that is asked for', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'name: w\nsteps:\n  - { name: A, command: ["true"] }\n  - { name: B, command: ["true"] }\n  - { name: C, command: ["true"] }\n',
    });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const page = await servePage(workspace);
    const at = `runs/${workspace.runs()[0]}`;
    const { rows } = (await page.get(`${at}/steps`)).body;
    const whole = (await page.get(`${at}/timeline?px=4000`)).body;
    expect(whole.spans).toHaveLength(3);
    const start = Date.parse(rows[1].started_at);
    const part = (await page.get(`${at}/timeline?px=4000&from=${start}&to=${start + 1}`)).body;
    expect(part).toMatchObject({ from: start, to: start + 1 });
    for (const [, from, to] of part.spans) {
      expect(from).toBeGreaterThanOrEqual(start);
      expect(to).toBeLessThanOrEqual(start + 1);
    }
  });
});

describe('a loop', () => {
  it('has its status, its report by iteration and its place in the queue', async () => {
    const project = new Project({ 'a.txt': 'one\n' });
    project.repository();
    await project.task();
    await project.iterate(['init', 'other']);
    project.write({ 'claude-iterate/workspaces/other/INSTRUCTIONS.md': 'Do it.\n' });
    project.agent({
      calls: [
        status({ complete: false }, { files: { 'a.txt': 'two' }, cost: 0.5 }),
        status({ complete: true }, { files: { 'b.txt': 'new' } }),
      ],
    });
    const page = await servePage(project, [], { env: { PATH: project.path } });
    expect((await page.get('loops/task')).body).toMatchObject({
      metadata: { name: 'task' },
      hasInstructions: true,
      report: null,
    });
    const ran = await project.iterate(['run', 'task', ...NO_VERIFY]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const { status: said, report } = (await page.get('loops/task')).body;
    expect(said).toMatchObject({ complete: true });
    expect(report).toMatchObject({
      ...{ name: 'task', mode: 'loop', totals: { iterations: 2 } },
      iterations: [
        { iteration: 1, cost_usd: 0.5, files: [{ path: 'a.txt', change: 'modified' }] },
        { iteration: 2, files: [{ path: 'b.txt', change: 'added' }] },
      ],
    });
    const second = (await page.get('loops/task/diff?iteration=2')).body.patch;
    expect(second).toContain('b/b.txt');
    expect(second).not.toContain('a.txt');
    expect((await page.get('loops/task/diff')).body.patch).toContain('a.txt');
    expect((await page.get('loops/nope')).status).toBe(404);
    expect((await page.get('loops/..%2f..')).status).toBeGreaterThanOrEqual(400);
    expect((await page.act({ command: 'iterate-queue', name: 'other' })).body).toEqual({
      ok: true,
      said: '`other` is number 1 in the queue.',
    });
    expect((await page.act({ command: 'iterate-queue', name: 'other' })).status).toBe(409);
    expect((await page.get('loops')).body.queue).toMatchObject([
      { name: 'other', state: { type: 'queued' } },
    ]);
    expect((await page.act({ command: 'iterate-unqueue', name: 'other' })).body.said).toBe(
      'Removed `other` from the queue.',
    );
    expect((await page.get('loops')).body.queue).toEqual([]);
    expect((await page.act({ command: 'iterate-pause', name: 'task' })).status).toBe(409);
  });
});

describe('a session', () => {
  it('gives each task whole, and says why a task has no diff', async () => {
    const workspace = new Workspace();
    await workspace.run(['session', 'start', 'Work']);
    const made = await workspace.run(['task', 'create', '--title', 'Write it']);
    expect(made.exitCode, made.stderr).toBe(0);
    const page = await servePage(workspace);
    const [{ id }] = (await page.get('sessions')).body.sessions;
    expect((await page.get(`sessions/${id}/tasks/IMPL-1`)).body).toMatchObject({
      id: 'IMPL-1',
      title: 'Write it',
    });
    expect(await page.get(`sessions/${id}/tasks/IMPL-1/diff`)).toMatchObject({
      status: 409,
      body: { problem: { message: 'no run has worked on `IMPL-1` yet' } },
    });
    expect((await page.get(`sessions/${id}/tasks/IMPL-9`)).status).toBe(404);
  });
});

describe('the flow of a run', () => {
  it('does not call a step successful of which only the exit code is known', async () => {
    const workspace = new Workspace({
      'w.yaml': `providers: {mine: {command: [sh, bin/claude, "\${PROMPT}"]}, plain: {command: [bin/claude, "\${PROMPT}"]}}
steps:
  - {name: Known, provider: mine, prompt: Hello}
  - {name: Unknown, provider: plain, prompt: Hello}
`,
      'bin/claude': '#!/bin/sh\necho done\n',
    });
    fs.chmodSync(path.join(workspace.folder, 'bin/claude'), 0o755);
    const run = await workspace.run(['run', 'w.yaml']);
    expect(run.exitCode, run.stderr).toBe(0);
    const page = await servePage(workspace);
    const { body } = await page.get(`runs/${workspace.runs()[0]}/flow`);
    expect(
      body.nodes.map(({ name, stats }: { name: string; stats: { status: string } }) => [name, stats.status]),
    ).toEqual([
      ['Known', 'completed'],
      ['Unknown', 'unverified'],
    ]);
  });
});
