/** The API answers from the same files, in the same figures, as the commands. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { type RunningPage, servePage } from '../rig/page-server.ts';

const EXAMPLES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');
const ASKS =
  'name: ask\nsteps:\n  - name: Build\n    command: [echo, built]\n  - name: Release\n    approve: { message: "Ship it?", choices: [yes, no] }\n  - name: Publish\n    command: [echo, published]\n';

function example(name: string): Workspace {
  const workspace = new Workspace();
  fs.cpSync(path.join(EXAMPLES, name), workspace.folder, { recursive: true });
  return workspace;
}

async function allRows(page: RunningPage, runId: string) {
  return (await page.get(`runs/${runId}/steps?limit=1000`)).body.rows as { [field: string]: unknown }[];
}

describe('a run', () => {
  for (const name of ['team', 'goto-retry-cycle', 'repeat-until-green', 'parallel', 'graph', 'matrix']) {
    it(`has the figures of \`show --json\` and the reasons of \`explain\`: ${name}`, async () => {
      const workspace = example(name);
      await workspace.run(['run', `${name}.yaml`, '--quiet']);
      const [runId = ''] = workspace.runs();
      const page = await servePage(workspace);
      const shown = JSON.parse((await workspace.run(['show', runId, '--json'])).stdout);
      const { steps, for_each, process_alive, ...state } = shown;
      const { body } = await page.get(`runs/${runId}`);
      expect(body.state).toEqual(state);
      expect(body.summary).toMatchObject({ status: shown.status, totals: shown.totals, process_alive });
      const explained = JSON.parse((await workspace.run(['explain', runId, '--json'])).stdout);
      expect((await page.get(`runs/${runId}/why`)).body).toEqual(explained);
      const rows = await allRows(page, runId);
      const keys = new Set(rows.map(({ key }) => key));
      for (const { key } of explained) if (key !== '') expect(keys, key).toContain(key);
      const leaves = rows.filter(({ children, status }) => children === 0 && status !== 'waiting');
      const counted = (status: string) => leaves.filter((row) => row['status'] === status).length;
      expect({ done: counted('completed'), failed: counted('failed'), skipped: counted('skipped') }).toEqual({
        done: shown.totals.steps_completed,
        failed: shown.totals.steps_failed,
        skipped: shown.totals.steps_skipped,
      });
      const cost = rows
        .filter(({ parent }) => parent === null)
        .reduce((sum, row) => sum + Number(row['cost_usd'] ?? 0), 0);
      expect(cost).toBeCloseTo(shown.totals.cost_usd, 9);
    });
  }

  it('opens the log and the transcript of every step, earlier visits too', async () => {
    const workspace = example('team');
    await workspace.run(['run', 'team.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const page = await servePage(workspace);
    const rows = await allRows(page, runId);
    const agents = rows.filter(({ kind }) => kind === 'agent').map(({ key }) => String(key));
    expect(agents).toContain('Engineer/0/Implement');
    expect(agents).toContain('Engineer#2/0/Implement');
    for (const key of agents) {
      const at = `runs/${runId}/steps/${encodeURIComponent(key)}`;
      const { events } = (await page.get(`${at}/transcript`)).body;
      expect(
        events.map(({ type }: { type: string }) => type),
        key,
      ).toEqual(expect.arrayContaining(['started', 'result']));
      const prompt = await page.get(`${at}/prompt`);
      expect(prompt.text).toBe(
        fs.readFileSync(
          path.join(
            workspace.runFolder(),
            'prompts',
            (await page.get(at)).body.logs.find(({ stream }: { stream: string }) => stream === 'prompt').name,
          ),
          'utf8',
        ),
      );
    }
  });

  it('is read in windows: rows, logs and matches', async () => {
    const workspace = new Workspace({
      'many.yaml':
        'name: many\nsteps:\n  - name: Each\n    for_each:\n      items: [a, b, c, d, e]\n      as: x\n      steps:\n        - name: Say\n          command: [bash, -c, "for i in 1 2 3 4 5 6 7 8 9; do echo \\"line $i of $1\\"; done", x, "${x}"]\n',
    });
    await workspace.run(['run', 'many.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const page = await servePage(workspace);
    const at = `runs/${runId}/steps`;
    const items = (await page.get(`${at}?parent=Each&from=1&limit=2`)).body;
    expect(items).toMatchObject({
      total: 5,
      rows: [
        { key: 'Each/1', item: 'b' },
        { key: 'Each/2', item: 'c' },
      ],
    });
    expect((await page.get(`${at}?parent=`)).body).toMatchObject({
      total: 1,
      rows: [{ key: 'Each', items: 5, items_done: 5 }],
    });
    expect((await page.get(`${at}?q=each/3`)).body.rows.map(({ key }: { key: string }) => key)).toEqual([
      'Each/3',
      'Each/3/Say',
    ]);
    expect((await page.get(`${at}?sort=slowest`)).body.total).toBe(5);
    const log = await page.get(`${at}/Each%2F2%2FSay/log?from=10&bytes=5`);
    expect(log).toMatchObject({ text: 'c\nlin', headers: { 'x-size': '108', 'x-from': '10' } });
    expect(await page.get(`${at}/Each%2F2%2FSay/log?from=-1&bytes=10`)).toMatchObject({
      text: 'ne 9 of c\n',
      headers: { 'x-from': '98' },
    });
    expect((await page.get(`${at}/Each%2F2%2FSay/log/search?q=line`)).body.found).toHaveLength(9);
    expect((await page.get(`${at}/Each%2F2%2FSay/log/search?q=line%207`)).body).toMatchObject({
      found: [72],
      size: 108,
    });
  });

  it('shows what stands before the damage, says what is wrong, and is never written to', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const file = path.join(workspace.runFolder(), 'journal.jsonl');
    const page = await servePage(workspace);
    const whole = fs.readFileSync(file);
    const rows = (await page.get(`runs/${runId}`)).body.rows;
    const flipped = Buffer.from(whole);
    const lines = whole.toString('utf8').split('\n');
    const at = lines.slice(0, 5).join('\n').length + 20;
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    fs.writeFileSync(file, flipped);
    const damaged = (await page.get(`runs/${runId}`)).body;
    expect(damaged.summary.status).toBe('damaged');
    expect(damaged.damage.message).toContain('line 6 of the journal');
    expect(damaged.rows).toBeLessThanOrEqual(rows);
    expect((await page.get('runs')).body.runs[0]).toMatchObject({ run_id: runId });
    fs.writeFileSync(file, whole.subarray(0, whole.length - 5));
    expect((await page.get(`runs/${runId}`)).body.damage).toBeUndefined();
    fs.writeFileSync(file, 'something else\n');
    expect((await page.get(`runs/${runId}`)).body.damage.message).toContain('is not a journal');
    fs.writeFileSync(file, whole);
    expect((await page.get(`runs/${runId}`)).body).toMatchObject({ rows, summary: { status: 'waiting' } });
    fs.rmSync(path.join(workspace.runFolder(), 'state.json'));
    expect((await page.get(`runs/${runId}`)).body).toMatchObject({ rows, summary: { status: 'waiting' } });
    fs.rmSync(workspace.runFolder(), { recursive: true });
    expect((await page.get(`runs/${runId}`)).status).toBe(404);
    expect((await page.get('runs')).body.runs).toEqual([]);
  });
});

describe('lists', () => {
  it('are filtered by status, kind and text, and say what each run is doing', async () => {
    const workspace = new Workspace({
      'ask.yaml': ASKS,
      'fail.yaml':
        'name: fails\nsteps:\n  - name: Each\n    for_each:\n      items: [unit, e2e]\n      as: suite\n      steps:\n        - name: Test\n          command: [bash, -c, "echo noise; [ \\"$1\\" = unit ] || { echo Timeout exceeded >&2; exit 1; }", x, "${suite}"]\n',
    });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    await workspace.run(['run', 'fail.yaml', '--quiet']);
    const page = await servePage(workspace);
    const { body } = await page.get('runs');
    expect(body).toMatchObject({ total: 2, counts: { waiting: 1, failed: 1 }, kinds: ['workflow'] });
    expect(body.runs.map(({ line }: { line: string }) => line)).toEqual([
      'Each/1/Test [e2e]: the command ended with exit code 1: Timeout exceeded',
      'Release: Ship it?',
    ]);
    expect((await page.get('runs?status=waiting')).body.total).toBe(1);
    expect((await page.get('runs?q=timeout')).body.total).toBe(1);
    expect((await page.get('runs?kind=iterate')).body.total).toBe(0);
    const inbox = (await page.get('inbox')).body.items;
    expect(inbox).toMatchObject([
      { type: 'question', question: { key: 'Release', message: 'Ship it?', choices: ['yes', 'no'] } },
      { type: 'failed', step: 'Each/1/Test [e2e]' },
    ]);
    expect((await page.get('workflows')).body.workflows).toEqual([
      { file: 'ask.yaml', name: 'ask' },
      { file: 'fail.yaml', name: 'fails' },
    ]);
  });

  it('are empty, not broken, in a new folder', async () => {
    const page = await servePage(new Workspace());
    for (const list of [
      'runs',
      'inbox',
      'workflows',
      'costs',
      'loops',
      'sessions',
      'phases',
      'conversations',
      'queues',
      'schedule',
    ])
      expect((await page.get(list)).status, list).toBe(200);
  });
});

describe('actions', () => {
  it('answer a question and resume the run in a process of its own', async () => {
    const workspace = new Workspace({ 'ask.yaml': ASKS });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const [runId = ''] = workspace.runs();
    const page = await servePage(workspace);
    const wrong = await page.act({ command: 'approve', run: runId, step: 'Release', choice: 'maybe' });
    expect(wrong).toMatchObject({ status: 400, body: { ok: false, problem: { type: 'no-such-choice' } } });
    const both = await Promise.all(
      ['yes', 'no'].map((choice) => page.act({ command: 'approve', run: runId, step: 'Release', choice })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 200)?.body.said).toMatch(
      /^Recorded `(yes|no)` for `Release`. The run continues.$/,
    );
    await until(() => workspace.state(runId).status === 'completed');
    expect(workspace.journal(runId).filter(({ type }) => type === 'question-answered')).toHaveLength(1);
  });

  it('start, cancel and fork runs, which outlive the server', async () => {
    const workspace = new Workspace({
      'slow.yaml':
        'name: slow\ninputs: {who: {required: true}}\nsteps:\n  - name: First\n    command: [echo, "${context.who}"]\n  - name: Wait\n    command: [bash, -c, "until [ -e go ]; do sleep 0.02; done"]\n',
    });
    const page = await servePage(workspace);
    expect(await page.act({ command: 'run', file: 'slow.yaml' })).toMatchObject({
      status: 400,
      body: { ok: false },
    });
    const started = await page.act({ command: 'run', file: 'slow.yaml', inputs: { who: 'me' } });
    expect(started).toMatchObject({ status: 200, body: { ok: true, said: 'Started.' } });
    const { run } = started.body;
    await until(() => workspace.journal(run).some(({ key }) => key === 'Wait'));
    page.started.child.kill('SIGKILL');
    await page.started.ended;
    workspace.write({ go: '' });
    await until(() => workspace.hasState(run) && workspace.state(run).status === 'completed');
    workspace.remove('go');
    const again = await servePage(workspace);
    const forked = (await again.act({ command: 'fork', run, step: 'Wait' })).body.run;
    await until(() =>
      workspace.journal(forked).some(({ type, key }) => type === 'process-started' && key === 'Wait'),
    );
    expect((await again.act({ command: 'cancel', run: forked })).body).toMatchObject({
      ok: true,
      said: 'Asked the run to stop.',
    });
    await until(() => workspace.hasState(forked) && workspace.state(forked).status === 'cancelled');
    expect((await again.act({ command: 'resume', run: forked })).body).toMatchObject({
      ok: false,
      problem: { kind: 'conflict' },
    });
    const mine = `.orchestrate/runs/${forked}/mine.txt`;
    workspace.write({ [mine]: 'mine' });
    expect((await again.act({ command: 'clean', days: 0 })).body.said).toBe(
      `Removed 1 run. Kept \`${forked}\`: it contains \`mine.txt\`, not written by orchestrate.`,
    );
    workspace.remove(mine);
    expect((await again.act({ command: 'clean', days: 0 })).body.said).toBe('Removed 1 run.');
  });
});

it('answers a problem with 200 and its status in a header for a page that prefers it, but never what the guard refuses', async () => {
  const page = await servePage(new Workspace());
  const quiet = { prefer: 'problems=in-body' };
  const missing = `${page.ws}/runs/20260101T000000Z-aaaaaa`;
  expect(await page.ask(missing)).toMatchObject({ status: 404 });
  expect(await page.ask(missing, { headers: quiet })).toMatchObject({
    status: 200,
    headers: { 'x-status': '404', 'preference-applied': 'problems=in-body' },
    body: { problem: { kind: 'not-found' } },
  });
  const listed = await page.ask(`${page.ws}/runs`, { headers: quiet });
  expect(listed).toMatchObject({ status: 200, body: { runs: [] } });
  expect(listed.headers['x-status']).toBeUndefined();
  const stranger = { ...quiet, authorization: undefined };
  expect(await page.ask(`${page.ws}/runs`, { headers: stranger })).toMatchObject({ status: 401 });
  const foreign = { ...quiet, origin: 'http://evil.example' };
  expect(await page.ask(`${page.ws}/runs`, { headers: foreign })).toMatchObject({ status: 403 });
});
