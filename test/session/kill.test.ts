import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { refusing } from '../rig/refusing.ts';
import { retime } from '../workflow/runs.ts';
import { commandTask, type Json, SessionWorkspace, task } from './rig.ts';

interface Line {
  readonly type: string;
  readonly key?: string;
}

/** Layers of tasks; each depends on two tasks of the previous layer. */
function diamonds(): readonly Json[] {
  const dependencies = (n: number): readonly number[] => {
    if (n <= 5) return [];
    if (n === 30) return Array.from({ length: 24 }, (_, index) => index + 6);
    return [n - 5, n % 5 === 0 ? n - 9 : n - 4];
  };
  return Array.from({ length: 30 }, (_, index) => index + 1).map((n) =>
    commandTask(`IMPL-${n}`, `echo start-IMPL-${n} >> log; sleep 0.05; echo end-IMPL-${n} >> log`, {
      context: {
        depends_on: dependencies(n).map((each) => `IMPL-${each}`),
        // Two tasks of a layer never touch the same folder; the tasks of a column do.
        focus_paths: [`src/part-${n % 7}`],
      },
    }),
  );
}

describe('a killed execution', () => {
  it('counts only the time in which it worked, not the night until it is resumed', async () => {
    const night = 8 * 3600_000;
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'touch begun; until [ -e go ]; do sleep 0.02; done')]);
    const running = workspace.start(['execute', '--quiet']);
    await until(() => workspace.has('begun'));
    running.child.kill('SIGKILL');
    await running.ended;
    retime(workspace, (at) => at - night);
    workspace.write({ go: '' });
    await workspace.ok(['execute', '--quiet']);
    const { duration_ms: whole } = workspace.state();
    expect(whole).toBeLessThan(night / 2);
    expect(workspace.step('IMPL-1').duration_ms).toBeLessThanOrEqual(whole);
  });

  it('counts the interrupted call of an agent as one of unknown cost, in the status, the task and its summary', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(
      `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); return {};`,
    );
    await workspace.begin([task('IMPL-1')]);
    for (const kill of [1, 2]) {
      const running = workspace.start(['execute', '--quiet'], { env });
      await until(() => workspace.prompts().length === kill);
      running.child.kill('SIGKILL');
      await running.ended;
    }
    const killed = (await workspace.ok(['session', 'status'])).stdout;
    expect(killed).toContain('  cost: unknown\n');
    expect(killed).toContain('  ◐ IMPL-1  Do IMPL-1  interrupted (code-developer)  cost unknown\n');
    const shown = JSON.parse((await workspace.ok(['task', 'show', 'IMPL-1'])).stdout);
    expect(shown['execution']).toMatchObject({ cost_usd: null });
    expect(killed).toContain('\nready: IMPL-1\n');
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toContain('IMPL-1');
    workspace.write({ go: '' });
    await workspace.ok(['execute', '--quiet'], { env });
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({ cost_usd: 0.01, unknown_cost_calls: 2 });
    const { stdout } = await workspace.ok(['session', 'status']);
    expect(stdout).toContain('  cost: $0.0100 + 2 calls of unknown cost\n');
    expect(stdout).toMatch(/ IMPL-1 {2}Do IMPL-1 {2}[\d.]+ m?s {2}\$0\.0100 \+ 2 calls of unknown cost\n/);
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(status).toMatchObject({
      cost: { cost_usd: 0.01, agent_calls: 3, unknown_cost_calls: 2 },
      tree: [{ id: 'IMPL-1', cost_usd: 0.01, unknown_cost_calls: 2 }],
    });
    expect(workspace.read('.workflow/WFS-work/.summaries/IMPL-1-summary.md')).toMatch(
      /\n## Time and Cost\n- \*\*Time\*\*: [\d.]+ m?s\n- \*\*Cost\*\*: \$0\.0100 \+ 2 calls of unknown cost\n$/,
    );
  });

  it('after a rejected answer has the cost of that answer, too, in every view', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(
      `if (!prompt.includes('IMPL-1')) return {};
       if (!fs.existsSync('asked')) { fs.writeFileSync('asked', ''); return { raw: { approach: 7 } }; }
       while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       return {};`,
    );
    await workspace.begin([task('IMPL-1')]);
    const running = workspace.start(['execute', '--quiet'], { env });
    await until(() => workspace.prompts().length === 2);
    const seen = async (): Promise<string> => (await workspace.ok(['session', 'status'])).stdout;
    expect(await seen()).toContain('  cost: $0.0100\n');
    running.child.kill('SIGKILL');
    await running.ended;
    const [run = ''] = workspace.runs();
    const both = '$0.0100 + 1 call of unknown cost';
    expect((await workspace.ok(['show', run])).stdout).toContain(both);
    expect(await seen()).toContain(`  cost: ${both}\n`);
    expect(await seen()).toContain(`  ◐ IMPL-1  Do IMPL-1  interrupted (code-developer)  ${both}\n`);
    const [listed] = JSON.parse((await workspace.ok(['task', 'list', '--json'])).stdout);
    expect(listed).toMatchObject({ cost_usd: 0.01, unknown_cost_calls: 1 });
    const shown = JSON.parse((await workspace.ok(['task', 'show', 'IMPL-1'])).stdout);
    expect(shown['execution']).toMatchObject({ cost_usd: 0.01, unknown_cost_calls: 1 });
    workspace.write({ go: '' });
    await workspace.ok(['execute', '--quiet'], { env });
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({ cost_usd: 0.02, unknown_cost_calls: 1 });
    expect(await seen()).toContain('  cost: $0.0200 + 1 call of unknown cost\n');
  });

  it('resumes each time and completes every task exactly once', async () => {
    const workspace = new SessionWorkspace();
    const tasks = diamonds();
    await workspace.begin(tasks);
    const completed = (): number =>
      workspace.runs().length === 0
        ? 0
        : workspace
            .journal()
            .filter((line) => line.type === 'step-ended' && line.key?.endsWith('task@completed')).length;
    for (const enough of [4, 12, 21]) {
      const running = workspace.start(['execute', '--max-parallel', '4', '--quiet']);
      await until(() => completed() >= enough || running.child.exitCode !== null);
      expect(running.child.exitCode).toBe(null);
      running.child.kill('SIGKILL');
      await running.ended;
    }
    await workspace.ok(['execute', '--quiet']);

    expect(workspace.runs()).toHaveLength(1);
    const journal: readonly Line[] = workspace.journal();
    expect(journal.filter(({ type }) => type === 'run-resumed')).toHaveLength(3);
    for (const task of tasks) {
      const id = String(task['id']);
      const document = workspace.task(id);
      expect(document['status'], id).toBe('completed');
      const history = document['status_history'] as Json[];
      expect(
        history.map(({ to }) => to),
        id,
      ).toEqual(['active', 'completed']);
      expect(countOfKey(journal, `${id}/implementation/1`), id).toBe(1);
      expect(document['execution']).toMatchObject({ attempts: 1, run_id: workspace.runs()[0] });
    }
    expectOrder(journal, tasks);
    expectLimits(journal, tasks);
    expectViews(workspace, tasks);
  });
});

describe('a killed plan', () => {
  it('is part of the cost of its session, also after another plan', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(
      `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       return { raw: { overview: 'x', requirements: [], tasks: ${JSON.stringify([task('IMPL-1')])} } };`,
    );
    await workspace.begin();
    const running = workspace.start(['plan', 'Do something'], { env });
    await until(() => workspace.prompts().length === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('  cost: unknown\n');
    workspace.write({ go: '' });
    await workspace.ok(['plan', 'Do something'], { env });
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(
      '  cost: $0.0100 + 1 call of unknown cost\n',
    );
  });

  it('adds its cost when it is resumed, and leaves that of a plan made meanwhile', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(
      `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       return { raw: { overview: 'x', requirements: [], tasks: ${JSON.stringify([task('IMPL-1')])} } };`,
    );
    await workspace.begin();
    const running = workspace.start(['plan', 'Do something'], { env });
    await until(() => workspace.prompts().length === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    const [killed = ''] = workspace.runs();
    workspace.write({ go: '' });
    await workspace.ok(['plan', 'Do something'], { env });
    await workspace.ok(['resume', killed], { env });
    const both = '  cost: $0.0200 + 1 call of unknown cost\n';
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(both);
    // The document has it, too: runs may be removed.
    fs.rmSync(path.join(workspace.folder, '.orchestrate', 'runs'), { recursive: true });
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(both);
  });

  it('is paid for even if its tasks cannot be added when it is resumed', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude(
      `while (!fs.existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       const one = JSON.parse(${JSON.stringify(JSON.stringify(task('IMPL-1')))});
       return { raw: { overview: 'x', requirements: [], tasks: [{ ...one, title: String(process.pid) }] } };`,
    );
    await workspace.begin();
    const running = workspace.start(['plan', 'Do something'], { env });
    await until(() => workspace.prompts().length === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    const [killed = ''] = workspace.runs();
    workspace.write({ go: '' });
    await workspace.ok(['plan', 'Do something'], { env });
    const resumed = await workspace.run(['resume', killed], { env });
    expect(resumed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('IMPL-1') });
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(
      '  cost: $0.0200 + 1 call of unknown cost\n',
    );
  });
});

describe('the cost and time of a task', () => {
  it('are those of all runs that worked on it, in whatever order they are resumed', async () => {
    const workspace = new SessionWorkspace();
    const sorry = { type: 'result', subtype: 'error_during_execution', is_error: true, total_cost_usd: 0.01 };
    const env = workspace.standInClaude(
      `if (fs.existsSync('go')) return {};
       fs.writeSync(1, ${JSON.stringify(JSON.stringify(sorry))} + '\\n');
       process.exit(1);`,
    );
    await workspace.begin([task('IMPL-1')]);
    const figures = () => workspace.task('IMPL-1')['execution'] as { readonly [name: string]: Json };
    const worked = (): number => Number(figures()['worked_ms']);
    const failed = async (argv: readonly string[]): Promise<void> => {
      expect((await workspace.run([...argv, '--quiet'], { env })).exitCode).toBe(1);
    };
    await failed(['execute']);
    const [first = ''] = workspace.runs();
    expect(figures()).toMatchObject({ run_id: first, cost_usd: 0.02 });
    await failed(['execute', 'IMPL-1']);
    const second = workspace.runs().find((id) => id !== first) ?? '';
    expect(figures()).toMatchObject({ run_id: second, cost_usd: 0.04 });
    const times = [worked()];
    await failed(['resume', first]);
    expect(figures()).toMatchObject({ run_id: first, cost_usd: 0.06 });
    times.push(worked());
    workspace.write({ go: '' });
    await workspace.ok(['resume', second, '--quiet'], { env });
    times.push(worked());
    expect(figures()).toMatchObject({
      ...{ attempts: 4, run_id: second, cost_usd: 0.07 },
      runs: { [first]: { cost_usd: 0.04 }, [second]: { cost_usd: 0.03 } },
    });
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(times).size).toBe(3);
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('  cost: $0.0700\n');
  });
});

describe('the cost of a resumed task', () => {
  it('includes the agent calls that it does not make again', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    await workspace.begin([task('IMPL-1', { context: { acceptance: ['command: test -e good'] } })]);
    expect((await workspace.run(['execute', '--quiet'], { env })).exitCode).toBe(1);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'blocked', execution: { cost_usd: 0.02 } });
    const [run = ''] = workspace.runs();
    workspace.write({ good: '' });
    await workspace.ok(['resume', run, '--quiet'], { env });
    // The work is accepted at once, so it is not sent back to the agent as it was the first time.
    expect(workspace.prompts()).toHaveLength(3);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { cost_usd: 0.03 } });
    expect(workspace.state().totals.cost_usd).toBe(0.03);
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('  cost: $0.0300\n');
  });

  it('includes those of steps that the task no longer has', async () => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    const steps = (...rest: readonly Json[]): Json => ({ flow_control: { implementation_approach: rest } });
    const command = (step: number, text: string): Json => ({ step, title: 'run it', command: text });
    await workspace.begin([
      task('IMPL-1', steps(command(1, 'true'), { step: 2, title: 'think' }, command(3, 'false'))),
    ]);
    expect((await workspace.run(['execute', '--quiet'], { env })).exitCode).toBe(1);
    const [run = ''] = workspace.runs();
    const { flow_control: _, ...document } = workspace.task('IMPL-1');
    workspace.putTask({ ...document, ...steps(command(1, 'true')) });
    const ended = await workspace.run(['resume', run, '--quiet', '--trust'], { env });
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { cost_usd: 0.01 } });
  });
});

describe('a lock that a killed process left beside a task', () => {
  it('is removed, even if the task is not changed again', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'true')]);
    const lock = '.workflow/WFS-work/.task/IMPL-1.json.lock';
    workspace.write({ [lock]: '{"pid":4711,"startT' });
    await workspace.ok(['views']);
    expect(workspace.has(lock)).toBe(false);
  });
});

describe('an execution on a full disk', () => {
  it('does not start a task that it cannot mark active, and continues once there is space', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'echo x >> ran')]);
    const refused = await workspace.run(['execute', '--quiet'], {
      env: refusing(workspace.folder, { kind: 'rename', file: 'IMPL-1.json', number: 1 }),
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(ENOSPC)') });
    expect(workspace.has('ran')).toBe(false);
    await workspace.ok(['execute', '--quiet']);
    expect(workspace.read('ran')).toBe('x\n');
    const history = workspace.task('IMPL-1')['status_history'] as Json[];
    expect(history.map(({ to }) => to).slice(-2)).toEqual(['active', 'completed']);
  });
});

function countOfKey(journal: readonly Line[], key: string): number {
  return journal.filter((line) => line.type === 'step-ended' && line.key === key).length;
}

function expectOrder(journal: readonly Line[], tasks: readonly Json[]): void {
  const at = (type: string, key: string) =>
    journal.findIndex((line) => line.type === type && line.key === key);
  for (const task of tasks) {
    const begun = at('step-started', `${task['id']}/implementation/1`);
    for (const dependency of (task['context'] as { depends_on: string[] }).depends_on) {
      const ended = at('step-ended', `${dependency}/task@completed`);
      expect(ended, `${task['id']} after ${dependency}`).toBeGreaterThan(-1);
      expect(begun, `${task['id']} after ${dependency}`).toBeGreaterThan(ended);
    }
  }
}

/** At most four at a time, and never two in the same folder. */
function expectLimits(journal: readonly Line[], tasks: readonly Json[]): void {
  const folder = new Map(
    tasks.map((task) => [String(task['id']), (task['context'] as { focus_paths: string[] }).focus_paths[0]]),
  );
  let running = new Set<string>();
  let most = 0;
  for (const { type, key = '' } of journal) {
    if (type === 'run-resumed') running = new Set();
    if (!key.endsWith('/implementation/1')) continue;
    const id = key.split('/')[0] ?? '';
    if (type === 'step-started') {
      running.add(id);
      expect(new Set([...running].map((each) => folder.get(each))).size, [...running].join()).toBe(
        running.size,
      );
    }
    if (type === 'step-ended') running.delete(id);
    most = Math.max(most, running.size);
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
}

function expectViews(workspace: SessionWorkspace, tasks: readonly Json[]): void {
  expect(workspace.todo().match(/- \[x\] \*\*IMPL-\d+\*\*/g)).toHaveLength(tasks.length);
  expect(workspace.todo()).not.toMatch(/- \[ \] \*\*IMPL/);
  for (const task of tasks) {
    expect(workspace.has(`.workflow/WFS-work/.summaries/${task['id']}-summary.md`)).toBe(true);
  }
  expect(workspace.session()).toMatchObject({
    current_phase: 'REVIEW',
    progress: { completed_phases: ['PLAN', 'IMPLEMENT'], current_tasks: [] },
  });
  const folder = path.join(workspace.folder, '.workflow', 'WFS-work');
  const left = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock') || name.endsWith('.tmp'));
  expect(left).toEqual([]);
}
