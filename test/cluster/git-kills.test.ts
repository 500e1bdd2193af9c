/** Machines that share no folder are killed, stopped and come back: no file is lost, and each step is recorded once. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

/** `Held` ends when the file `go` appears in a folder outside of all machines, in which it counts its starts. */
function held(outside: string): string {
  return `name: held
steps:
  - name: Before
    command: [sh, -c, 'echo before > before.txt; echo logged']
  - name: Held
    command: [sh, -c, 'echo x >> ${outside}/starts; while [ ! -e ${outside}/go ]; do sleep 0.05; done; cat before.txt > held.txt']
  - name: After
    command: [sh, -c, 'cat before.txt held.txt > after.txt']
`;
}

async function setUp(): Promise<{ machines: GitTeam; starts(): number; go(): void }> {
  const outside = temporaryFolder();
  const machines = new GitTeam(await database.create(), { 'held.yaml': held(outside) });
  const starts = (): number =>
    fs.existsSync(`${outside}/starts`) ? fs.readFileSync(`${outside}/starts`, 'utf8').length / 2 : 0;
  return { machines, starts, go: () => fs.writeFileSync(`${outside}/go`, '') };
}

async function expectWhole(machines: GitTeam, runId: string): Promise<void> {
  expect(await machines.ended(runId)).toBe('completed');
  expect(machines.files(runId)).toEqual([
    ...['.gitignore', 'after.txt', 'before.txt', 'held.txt', 'held.yaml'],
  ]);
  expect(machines.file(runId, 'after.txt')).toBe('before\nbefore\n');
  const ends = (await machines.events(runId)).filter(({ type }) => type === 'step-ended');
  expect(ends.filter(({ effect }) => effect === 'run-command').map(({ key }) => key)).toEqual([
    ...['Before', 'Held', 'After'],
  ]);
  const files = machines.atHub('ls-tree', '-r', '--name-only', `refs/orchestrate/${runId}/run/files`);
  expect(files.split('\n')).toContain('logs/Before.stdout');
}

describe('with machines that share no folder', () => {
  it('a worker that is killed loses its step to another one; started again, it has no stale checkout', async () => {
    const { machines, starts, go } = await setUp();
    await machines.worker('host', { flags: ['--labels', 'other'] });
    const workers = [
      await machines.worker('one', { flags: ['--no-runs'] }),
      await machines.worker('two', { flags: ['--no-runs'] }),
    ];
    const runId = await machines.detached('held.yaml');
    await until(() => starts() === 1);
    const row = await machines.untilRow(
      `select name from orchestrate.calls c join orchestrate.workers w on w.executor = c.executor where key = 'Held'`,
    );
    const first = workers.find(({ name }) => name === row['name']);
    first?.child.kill('SIGKILL');
    await until(() => starts() === 2);
    expect(first?.machine.checkouts()).not.toEqual([]);
    go();
    await expectWhole(machines, runId);
    if (first === undefined) throw new Error('no worker has the step');
    await machines.worker(first.name, { flags: ['--no-runs'], on: first.machine });
    expect(first.machine.checkouts()).toEqual([]);
  }, 90_000);

  it('a host that is killed is replaced by another machine, which rebuilds the run and waits for the step that still runs', async () => {
    const { machines, starts, go } = await setUp();
    const hosts = [
      await machines.worker('one', { flags: ['--labels', 'other'] }),
      await machines.worker('two', { flags: ['--labels', 'other'] }),
    ];
    await machines.worker('three', { flags: ['--no-runs'] });
    const runId = await machines.detached('held.yaml');
    await until(() => starts() === 1);
    const first = await machines.hostOf(runId);
    hosts.find(({ name }) => name === first)?.child.kill('SIGKILL');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    go();
    await expectWhole(machines, runId);
    expect(starts()).toBe(1);
    const begun = (await machines.events(runId)).filter(
      ({ type, key }) => type === 'step-started' && key === 'Held',
    );
    expect(begun.map(({ again }) => again)).toEqual([undefined, 'attached']);
  }, 90_000);

  it('a host that was stopped for too long moves no ref when it comes back, and ends as failed', async () => {
    const { machines, starts, go } = await setUp();
    const hosts = [
      await machines.worker('one', { flags: ['--labels', 'other'] }),
      await machines.worker('two', { flags: ['--labels', 'other'] }),
    ];
    await machines.worker('three', { flags: ['--no-runs'] });
    const runId = await machines.detached('held.yaml');
    await until(() => starts() === 1);
    const first = await machines.hostOf(runId);
    const zombie = hosts.find(({ name }) => name === first);
    zombie?.child.kill('SIGSTOP');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    go();
    await expectWhole(machines, runId);
    const before = machines.atHub('for-each-ref', '--format=%(refname) %(objectname)');
    zombie?.child.kill('SIGCONT');
    expect(await zombie?.ended).toMatchObject({ exitCode: 1 });
    expect(machines.atHub('for-each-ref', '--format=%(refname) %(objectname)')).toBe(before);
  }, 90_000);

  it('a secret that only the worker knows is in no row, no log and no ref', async () => {
    const secret = 'only-the-worker-knows-4711';
    const machines = new GitTeam(await database.create(), {
      'secret.yaml': `name: secret
steps:
  - name: Print
    secrets: [WORKER_TOKEN]
    command: [sh, -c, 'echo out $WORKER_TOKEN; echo err $WORKER_TOKEN >&2; exit 3']
`,
    });
    await machines.worker('one', { on: machines.machine({ WORKER_TOKEN: secret }) });
    const run = await machines.run('run', 'secret.yaml', '--engine', '--trust', '--json');
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({
      exitCode: 1,
      stderr: expect.any(String),
    });
    expect(run.stdout).toContain('***');
    for (const table of [
      'orchestrate.runs',
      'orchestrate.events',
      'orchestrate.calls',
      'dbos.workflow_status',
    ])
      expect(JSON.stringify(await machines.rows(`select * from ${table}`))).not.toContain(secret);
    const objects = machines.atHub('cat-file', '--batch-all-objects', '--batch');
    expect(objects).toContain('out ***');
    expect(objects).not.toContain(secret);
  }, 60_000);
});
