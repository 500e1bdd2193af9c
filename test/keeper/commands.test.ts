/** `orchestrate schedule`, `run --queue` and `keep`, as a user calls them. */
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { scheduled } from './simulation.ts';

const QUICK =
  'name: quick\nsteps:\n  - { name: A, command: [bash, -c, "echo ${context.word:-x} >> order"] }\n';
const GATE =
  'name: gate\nsteps:\n  - { name: A, command: [bash, -c, "touch begun; until [ -e go ]; do sleep 0.02; done"] }\n';

describe('orchestrate schedule', () => {
  it('lists schedules, pauses and resumes them', async () => {
    const site = new Workspace({
      'workflows/night.yaml': scheduled('{ cron: "0 0 1 1 *", timezone: UTC, context: { a: 1 } }'),
      'workflows/bad.yaml': scheduled('{ cron: "61 * * * *" }'),
    });
    const year = new Date().getUTCFullYear() + 1;
    expect(await site.run(['schedule', 'list'])).toMatchObject({
      exitCode: 0,
      stdout: `workflows/night.yaml · 0 0 1 1 * UTC · next ${year}-01-01T00:00:00Z\n`,
      stderr: 'warning: workflows/bad.yaml cannot be used: `61` is not valid as minute (0 to 59)\n',
    });
    expect(JSON.parse((await site.run(['schedule', 'list', '--json'])).stdout)).toMatchObject([
      {
        workflow: 'w',
        cron: '0 0 1 1 *',
        context: { a: 1 },
        overlap: 'skip',
        catch_up: 'none',
        paused: false,
      },
    ]);
    expect((await site.run(['schedule', 'next', '--count', '2'])).stdout).toBe(
      `${year}-01-01T00:00:00Z  workflows/night.yaml\n${year + 1}-01-01T00:00:00Z  workflows/night.yaml\n`,
    );
    expect(await site.run(['schedule', 'pause', 'workflows/night.yaml'])).toMatchObject({
      exitCode: 0,
      stderr: 'workflows/night.yaml is paused\n',
    });
    expect((await site.run(['schedule', 'list'])).stdout).toContain('· paused\n');
    expect((await site.run(['schedule', 'next'])).stderr).toContain('nothing is scheduled\n');
    expect((await site.run(['schedule', 'resume', 'w'])).stderr).toBe(
      'workflows/night.yaml is scheduled again\n',
    );
    expect(await site.run(['schedule', 'pause', 'wo'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: no workflow `wo` with a schedule\nhelp: did you mean `w`?\n',
    });
  });

  it('says what to do without schedules', async () => {
    const site = new Workspace();
    expect(await site.run(['schedule', 'list'])).toMatchObject({
      exitCode: 0,
      stderr: 'no schedules; add `schedule` to a workflow file in `workflows/`\n',
    });
    expect(site.list('.')).toEqual([]);
  });
});

describe('the queue of runs', { timeout: 60_000 }, () => {
  it('starts the highest priority first, no more at once than allowed, and each once', async () => {
    const site = new Workspace({
      'quick.yaml': QUICK,
      'gate.yaml': GATE,
      '.orchestrate/config.yaml': 'serve: { max_runs: 1 }\n',
    });
    const gate = await site.run(['run', 'gate.yaml', '--queue']);
    expect(gate).toMatchObject({
      exitCode: 0,
      stderr: 'queued; nothing starts it yet: run `orchestrate keep`\n',
    });
    const keeper = site.start(['keep']);
    await until(() => site.has('begun'));
    const ids: { [word: string]: string } = {};
    for (const [word, priority] of [
      ['low', '-5'],
      ['first', '0'],
      ['second', '0'],
      ['high', '7'],
      ['gone', '9'],
    ] as const) {
      const queued = await site.run([
        ...['run', 'quick.yaml', '--queue', '--quiet', `--priority=${priority}`, '--context', `word=${word}`],
      ]);
      expect(queued).toMatchObject({ exitCode: 0, stderr: '' });
      ids[word] = queued.stdout.trim();
    }
    const listed = await site.run(['schedule', 'queue']);
    expect(listed.stdout.split('\n').map((line) => line.split(' ', 1)[0])).toEqual([
      ...['gone', 'high', 'first', 'second', 'low'].map((word) => ids[word]),
      '',
    ]);
    expect((await site.run(['schedule', 'drop', ids['gone'] ?? ''])).exitCode).toBe(0);
    expect((await site.run(['schedule', 'move', ids['second'] ?? '', '1'])).exitCode).toBe(0);
    expect(site.runs()).toHaveLength(1);
    site.write({ go: '' });
    await until(() => site.has('order') && site.read('order').split('\n').length === 5);
    expect(site.read('order')).toBe('high\nsecond\nfirst\nlow\n');
    keeper.child.kill('SIGTERM');
    expect(await keeper.ended).toMatchObject({ exitCode: 0 });
    expect(JSON.parse((await site.run(['schedule', 'queue', '--json'])).stdout)).toEqual([]);
    expect(site.runs()).toHaveLength(5);
    expect(site.runs()).toContain(ids['high']);
  });

  it('refuses what `run` refuses, and an invalid priority', async () => {
    const site = new Workspace({ 'bad.yaml': 'name: bad\nsteps: []\n', 'quick.yaml': QUICK });
    expect(await site.run(['run', 'bad.yaml', '--queue'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await site.run(['run', 'none.yaml', '--queue'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await site.run(['run', 'quick.yaml', '--queue', '--priority', 'high'])).stderr).toContain(
      'must be a whole number from -1000 to 1000\n',
    );
    expect((await site.run(['schedule', 'drop', '2020'])).stderr).toBe(
      'error: no queued run `2020`\nhelp: the queue is empty\n',
    );
    expect(site.runs()).toEqual([]);
  });
});

describe('a keeper that is killed at the moment of a start', { timeout: 120_000 }, () => {
  it('neither loses nor doubles it', async () => {
    const site = new Workspace({
      'workflows/w.yaml': scheduled('{ cron: "* * * * * *", catch_up: once, overlap: queue }'),
    });
    for (let kills = 0; kills < 12; kills += 1) {
      const before = site.runs().length;
      const keeper = site.start(['keep', '--trust']);
      // Somewhere between the record of a start and its run.
      await until(() => starts(site).length > before + (kills % 2) || keeper.child.exitCode !== null);
      keeper.child.kill('SIGKILL');
      await keeper.ended;
    }
    const keeper = site.start(['keep', '--trust']);
    const recorded = (): readonly string[] => starts(site).map(({ runId }) => runId);
    const wanted = recorded().length;
    await until(
      () =>
        recorded().length > wanted &&
        recorded()
          .slice(0, wanted)
          .every((id) => site.runs().includes(id)),
    );
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    const due = starts(site).map((each) => each.due);
    expect(new Set(due).size).toBe(due.length);
    expect(due).toEqual([...due].sort());
    expect(site.runs().filter((id) => !recorded().includes(id))).toEqual([]);
  });
});

function starts(site: Workspace): readonly { readonly due: string; readonly runId: string }[] {
  const file = '.orchestrate/keeper/journal.jsonl';
  if (!site.has(file)) return [];
  return site
    .read(file)
    .split('\n')
    .filter((line) => line.includes('"start-due"') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

describe('a schedule that the user has not seen', () => {
  const PWNED =
    'name: w\nschedule: [{ cron: "* * * * * *" }]\nsteps:\n  - { name: A, command: [touch, pwned] }\n';

  it('of a cloned folder keeps the keeper from starting without an answer', async () => {
    const site = new Workspace({ 'workflows/w.yaml': PWNED });
    const refused = await site.run(['keep']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('(workflows/w.yaml; new)');
    expect(site.has('pwned')).toBe(false);
  });

  it('starts nothing while the keeper runs, nor does a run put into its queue by another program', async () => {
    const site = new Workspace({ 'workflows/mine.yaml': scheduled('{ cron: "0 0 1 1 *" }') });
    const keeper = site.start(['keep', '--trust']);
    await until(() => site.has('.orchestrate/keeper/journal.jsonl'));
    const run = { run_id: '20260131T120000Z-abc123', workflow: 'w', file: 'w.yaml', priority: 0 };
    site.write({
      'workflows/w.yaml': PWNED,
      'w.yaml': PWNED,
      '.orchestrate/keeper/queue.json': JSON.stringify({
        version: 1,
        runs: [{ ...run, queued_at: '2026-01-31T12:00:00.000Z', context: {} }],
      }),
    });
    let said = '';
    keeper.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(
      () =>
        / workflows\/w\.yaml cannot be used: you have not trusted/.test(said) &&
        / w\.yaml cannot be used: you have not trusted/.test(said),
    );
    keeper.child.kill('SIGTERM');
    await keeper.ended;
    expect(site.runs()).toEqual([]);
    expect(site.has('pwned')).toBe(false);
  });
});
