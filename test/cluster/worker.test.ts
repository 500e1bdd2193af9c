import fs from 'node:fs';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { countOf, until } from '../rig/orchestrate.ts';
import { serverForFile } from '../rig/postgres/for-file.ts';
import { Team } from './team.ts';

const database = serverForFile();

const HELLO = `name: hello
steps:
  - name: List
    command: [printf, 'a\\nb\\nc\\nd\\n']
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: item
      max_parallel: 2
      steps:
        - name: Say
          command: [sh, -c, 'echo done >> said; echo said $1', sh, "\${item}"]
  - name: Last
    command: [echo, the end]
`;

/** `Held` ends when the file \`go\` appears. */
const HELD = `name: held
steps:
  - name: Before
    command: [sh, -c, 'echo x >> before']
  - name: Held
    command: [sh, -c, 'echo $$$$ >> held; while [ ! -e go ]; do sleep 0.05; done; echo through']
  - name: After
    command: [sh, -c, 'echo x >> after']
`;

const ASKS = `name: asks
steps:
  - name: Release
    approve:
      message: Release?
      choices: [ship, hold]
  - name: Publish
    command: [sh, -c, 'echo x >> published']
`;

const CLEANS = `name: cleans
steps:
  - name: Held
    command: [sh, -c, 'echo $$$$ > pid; trap "" TERM; while :; do sleep 0.05; done']
finally:
  - name: Clean
    command: [sh, -c, 'if kill -0 $(cat pid) 2> /dev/null; then echo alive; else echo gone; fi > found']
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A process that has ended stays in the table until its parent, which may be stopped, asks for its end. */
function isAtWork(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function team(files: { readonly [path: string]: string }): Promise<Team> {
  return new Team(await database.create(), files);
}

describe('orchestrate run --engine', () => {
  it('lets workers carry out a workflow, and shows the same as a local run', async () => {
    const machines = await team({ 'hello.yaml': HELLO });
    await machines.worker('one');
    await machines.worker('two');
    const ended = await machines.run('run', 'hello.yaml', '--engine', '--quiet');
    // No warning of Node either, however long it has followed the run.
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(countOf(machines.workspace, 'said')).toBe(4);
    const [far] = machines.workspace.runs();
    expect(await machines.run('run', 'hello.yaml', '--quiet')).toMatchObject({ exitCode: 0 });
    const near = machines.workspace.runs().at(-1);
    const shown = async (run = '') => {
      const { stdout } = await machines.run('explain', run);
      return stdout.replaceAll(run, 'RUN').replaceAll(/\d[\d:.]*(?: ?m?s)?/g, '0');
    };
    expect(await shown(far)).toBe(await shown(near));
  });
});

describe('worker: of a step', () => {
  it('sends it to workers with this label, or to the one of this name; a provider gives its steps a label', async () => {
    const machines = await team({
      'labels.yaml': `name: labels
providers:
  writer: {adapter: mock, worker: models}
steps:
  - name: Plain
    command: [echo, plain]
  - name: Special
    command: [echo, special]
    worker: special
    expect: {command: [echo, checked]}
  - name: Named
    command: [echo, named]
    worker: at:three
  - name: Write
    provider: writer
    prompt: Write.
`,
    });
    await machines.worker('one');
    await machines.worker('two', '--no-runs', '--labels', 'special');
    await machines.worker('three', '--no-runs', '--labels', 'models');
    const run = await machines.run('run', 'labels.yaml', '--engine', '--quiet');
    expect(run).toMatchObject({ exitCode: 0 });
    const calls = await machines.rows(
      'select key, name from orchestrate.calls c join orchestrate.workers w on w.executor = c.executor order by c.created_at',
    );
    expect(calls.map(({ key, name }) => [key, name])).toEqual([
      ['Plain', 'one'],
      ['Special', 'two'],
      ['Special@expect1', 'two'],
      ['Named', 'three'],
      ['Write', 'three'],
    ]);
  });
});

async function detached(machines: Team, file: string): Promise<string> {
  const { stdout, stderr, exitCode } = await machines.run('run', file, '--engine', '--detach');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
}

/** Waits for the end of the run's turn, and returns its status. */
async function ended(machines: Team, runId: string): Promise<string> {
  const row = await machines.untilRow(
    `select status from orchestrate.runs where run_id = '${runId}' and state in ('ended', 'waiting')`,
  );
  return String(row['status']);
}

function startsOf(machines: Team, runId: string, key: string): readonly (string | undefined)[] {
  const starts = machines.workspace.journal(runId) as readonly {
    readonly type: string;
    readonly key?: string;
    readonly again?: string;
  }[];
  return starts
    .filter((event) => event.type === 'step-started' && event.key === key)
    .map(({ again }) => again);
}

describe('`use: always`', () => {
  it('lets workers carry out every run, unless it is started with --no-engine', async () => {
    const machines = await team({ 'hello.yaml': HELLO, '.orchestrate/engine.yaml': 'use: always\n' });
    const untrusted = await machines.run('run', 'hello.yaml', '--detach');
    expect(untrusted.exitCode).toBe(2);
    expect(untrusted.stderr).toContain('use = always');
    const given = await machines.run('run', 'hello.yaml', '--detach', '--trust');
    // Nothing but the id, also when the database is used for the first time.
    expect(given.stdout).toMatch(/^\d{8}T\d{6}Z-\w{6}\n$/);
    const runId = given.stdout.trim();
    await machines.worker('one');
    expect(await ended(machines, runId)).toBe('completed');
    expect(await machines.rows(`select host is not null as hosted from orchestrate.runs`)).toHaveLength(1);
    const here = await machines.run('run', 'hello.yaml', '--no-engine');
    expect(here).toMatchObject({ exitCode: 0 });
    expect(await machines.rows('select run_id from orchestrate.runs')).toEqual([{ run_id: runId }]);
  });
});

describe('a worker that is killed', () => {
  it('loses its step to another one, its commands are ended, and the step is recorded once', async () => {
    const machines = await team({ 'held.yaml': HELD });
    const host = await machines.worker('host', '--labels', 'other');
    const workers = [await machines.worker('one', '--no-runs'), await machines.worker('two', '--no-runs')];
    const runId = await detached(machines, 'held.yaml');
    const first = await machines.workerOf('Held');
    await until(() => countOf(machines.workspace, 'held') === 1);
    const pid = Number(machines.workspace.read('held').trim());
    expect([machines.workspace.read('held'), isAlive(pid)]).toEqual([expect.stringMatching(/^\d+\n$/), true]);
    workers.find(({ name }) => name === first)?.child.kill('SIGKILL');
    // It would run until the file `go` appears.
    await until(() => !isAlive(pid));
    await until(() => countOf(machines.workspace, 'held') === 2);
    const [left] = await machines.rows(
      `select count(*) from orchestrate.calls where run_id = '${runId}' and key = 'Held' and starts = 2`,
    );
    expect(left).toEqual({ count: '1' });
    machines.workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
    expect(countOf(machines.workspace, 'before')).toBe(1);
    expect(countOf(machines.workspace, 'after')).toBe(1);
    const ends = machines.workspace.journal(runId).filter(({ type }) => type === 'step-ended');
    expect(ends.filter(({ key }) => key === 'Held')).toHaveLength(1);
    expect(host.child.exitCode).toBe(null);
  });

  it('by its step is not replaced too often: the step fails as `worker-lost`, which says how often', async () => {
    const settings = {
      '.orchestrate/engine.yaml': 'poll_ms: 100\ndead_after_sec: 3\nmax_worker_deaths: 2\n',
    };
    const machines = await team({ 'held.yaml': HELD, ...settings });
    await machines.worker('host', '--labels', 'other');
    const runId = await detached(machines, 'held.yaml');
    for (const [index, name] of ['one', 'two'].entries()) {
      const worker = await machines.worker(name, '--no-runs');
      await until(() => countOf(machines.workspace, 'held') === index + 1);
      worker.child.kill('SIGKILL');
    }
    await machines.worker('three', '--no-runs');
    expect(await ended(machines, runId)).toBe('failed');
    expect(countOf(machines.workspace, 'held')).toBe(2);
    const { stdout } = await machines.run('show', runId, '--json');
    expect(JSON.parse(stdout).steps.Held).toMatchObject({ outcome: 'worker-lost', attempts: 1 });
    const explained = await machines.run('explain', runId, 'Held');
    expect(explained.stdout).toContain('every worker that ran it died (2 times)');
  });

  it('and hosts a run gives it to another, which waits for the step that still runs elsewhere', async () => {
    const machines = await team({ 'held.yaml': HELD });
    const hosts = [
      await machines.worker('one', '--labels', 'other'),
      await machines.worker('two', '--labels', 'other'),
    ];
    await machines.worker('three', '--no-runs');
    const runId = await detached(machines, 'held.yaml');
    await until(() => countOf(machines.workspace, 'held') === 1);
    const first = await machines.hostOf(runId);
    hosts.find(({ name }) => name === first)?.child.kill('SIGKILL');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    machines.workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
    expect(countOf(machines.workspace, 'held')).toBe(1);
    expect(startsOf(machines, runId, 'Held')).toEqual([undefined, 'attached']);
  });
});

describe('a worker that is stopped for too long', () => {
  it('finds its run taken over, writes nothing more, and ends as failed', async () => {
    const machines = await team({ 'held.yaml': HELD });
    const hosts = [
      await machines.worker('one', '--labels', 'other'),
      await machines.worker('two', '--labels', 'other'),
    ];
    await machines.worker('three', '--no-runs');
    const runId = await detached(machines, 'held.yaml');
    await until(() => countOf(machines.workspace, 'held') === 1);
    const first = await machines.hostOf(runId);
    const zombie = hosts.find(({ name }) => name === first);
    zombie?.child.kill('SIGSTOP');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    machines.workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
    const before = await machines.rows(
      `select * from orchestrate.events where run_id = '${runId}' order by seq`,
    );
    zombie?.child.kill('SIGCONT');
    expect(await zombie?.ended).toMatchObject({ exitCode: 1 });
    expect(
      await machines.rows(`select * from orchestrate.events where run_id = '${runId}' order by seq`),
    ).toEqual(before);
    expect(countOf(machines.workspace, 'after')).toBe(1);
  });

  it('ends what it started itself, and nothing of the worker on the same machine that has its step now', async () => {
    const machines = await team({ 'held.yaml': HELD });
    await machines.worker('host', '--labels', 'other');
    const workers = [await machines.worker('one', '--no-runs'), await machines.worker('two', '--no-runs')];
    const runId = await detached(machines, 'held.yaml');
    const first = await machines.workerOf('Held');
    await until(() => countOf(machines.workspace, 'held') === 1);
    const zombie = workers.find(({ name }) => name === first);
    zombie?.child.kill('SIGSTOP');
    await until(() => countOf(machines.workspace, 'held') === 2);
    const [before, now] = machines.workspace.read('held').trim().split('\n').map(Number);
    expect([isAtWork(Number(before)), isAtWork(Number(now))]).toEqual([false, true]);
    zombie?.child.kill('SIGCONT');
    expect(await zombie?.ended).toMatchObject({ exitCode: 1 });
    expect(isAtWork(Number(now))).toBe(true);
    machines.workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
    const ends = machines.workspace.journal(runId).filter(({ type }) => type === 'step-ended');
    expect(ends.filter(({ key }) => key === 'Held')).toHaveLength(1);
  });

  it('keeps its name while it lives: a second worker with it is refused', async () => {
    const machines = await team({});
    await machines.worker('same');
    const second = await machines.run('worker', '--name', 'same');
    expect(second).toMatchObject({ exitCode: 4 });
    expect(second.stderr).toContain('a worker named `same` is running');
  });
});

describe('a worker that takes longer than the dead-time to start', () => {
  it('is not given up: it reports while it starts', async () => {
    const machines = await team({});
    await machines.worker('one');
    const client = new pg.Client({ connectionString: machines.url });
    await client.connect();
    await client.query('begin');
    // It registers its queues last.
    await client.query('lock table dbos.queues in exclusive mode');
    const slow = machines.worker('slow');
    await machines.untilRow(
      `select from orchestrate.workers where name = 'slow' and dead_at is null and beat_at > started_at + interval '4 seconds'`,
    );
    await client.query('commit');
    await client.end();
    await slow;
  }, 90_000);
});

describe('an outage of the database', () => {
  it('costs nothing: steps continue, nobody is given up, and the results are recorded when it is back', async () => {
    // A dead-time that a busy machine does not reach by itself.
    const settings = { '.orchestrate/engine.yaml': 'poll_ms: 100\ndead_after_sec: 8\n' };
    const machines = await team({ 'held.yaml': HELD, ...settings });
    const workers = [await machines.worker('one'), await machines.worker('two')];
    const runId = await detached(machines, 'held.yaml');
    await until(() => countOf(machines.workspace, 'held') === 1);
    await database.server.stop();
    machines.workspace.write({ go: '' });
    // Longer than the dead-time.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    await database.server.start();
    expect(await ended(machines, runId)).toBe('completed');
    expect(['before', 'held', 'after'].map((file) => countOf(machines.workspace, file))).toEqual([1, 1, 1]);
    expect(await machines.rows('select name from orchestrate.workers where dead_at is not null')).toEqual([]);
    expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
  });

  it('does not keep a worker that is stopped from ending, without an error', async () => {
    const machines = await team({});
    const worker = await machines.worker('one', '--drain', '1');
    await database.server.stop();
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringMatching(/error/),
    });
    await database.server.start();
  }, 60_000);
});

describe('people who change a run of workers', () => {
  it('answer it once: of two answers at once, one is refused', async () => {
    const machines = await team({ 'asks.yaml': ASKS });
    await machines.worker('one');
    const runId = await detached(machines, 'asks.yaml');
    expect(await ended(machines, runId)).toBe('waiting');
    const answers = await Promise.all([
      machines.run('approve', runId, 'Release', '--choose', 'ship'),
      machines.run('approve', runId, 'Release', '--choose', 'ship'),
    ]);
    expect(answers.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
    expect(answers.map(({ stderr }) => stderr).join('')).toContain('has already been answered');
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and state = 'ended' and status = 'completed'`,
    );
    expect(countOf(machines.workspace, 'published')).toBe(1);
  });

  it('cancel it: every process has ended before `finally` starts', async () => {
    const machines = await team({ 'cleans.yaml': CLEANS });
    await machines.worker('one');
    await machines.worker('two');
    const runId = await detached(machines, 'cleans.yaml');
    await until(() => machines.workspace.has('pid'));
    expect(await machines.run('cancel', runId)).toMatchObject({ exitCode: 0 });
    expect(await ended(machines, runId)).toBe('cancelled');
    expect(machines.workspace.read('pid')).toMatch(/^\d+\n$/);
    expect(machines.workspace.read('found')).toBe('gone\n');
  });
});

describe('orchestrate workers', () => {
  it('names each worker, what it takes and what it does; one that was stopped is gone', async () => {
    const machines = await team({ 'held.yaml': HELD });
    const one = await machines.worker('one', '--labels', 'default,claude', '--drain', '1');
    const runId = await detached(machines, 'held.yaml');
    await until(() => countOf(machines.workspace, 'held') === 1);
    const { stdout } = await machines.run('workers', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: 'one',
        labels: ['default', 'claude', 'at:one'],
        takes_runs: true,
        runs: [runId],
        calls: [`${runId}/Held~1`],
      },
    ]);
    one.child.kill('SIGTERM');
    expect(await one.ended).toMatchObject({ exitCode: 0 });
    expect((await machines.run('workers')).stderr).toBe('no worker is running\n');
    await machines.worker('two');
    machines.workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
  });
});
