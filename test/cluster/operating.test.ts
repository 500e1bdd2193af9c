import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTab, person } from '../rig/browser.ts';
import { servePage } from '../rig/page-server.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { Elsewhere, Team } from './team.ts';

const database = databaseForFile();

const ASKS = `name: asks
steps:
  - name: Say
    command: [echo, hello]
  - name: Release
    approve: {message: Release?, choices: [ship, hold]}
`;

const SHORT = `name: short
steps:
  - name: Say
    command: [echo, hello]
`;

/** \`Held\` ends when the file \`go\` appears. */
const HELD = `name: held
steps:
  - name: Held
    command: [sh, -c, 'while [ ! -e go ]; do sleep 0.05; done']
`;

const LABELLED = `name: labelled
steps:
  - name: Train
    command: [echo, trained]
    worker: gpu
`;

async function teamWith(files: { readonly [path: string]: string }): Promise<Team> {
  return new Team(await database.create(), files);
}

async function detached(team: Team, file: string): Promise<string> {
  return (await team.run('run', file, '--engine', '--detach')).stdout.trim();
}

async function workersSection(team: Team, ...argv: readonly string[]): Promise<string> {
  const { stdout } = await team.run('doctor', ...argv);
  return stdout
    .slice(stdout.indexOf('\nworkers\n') + 1)
    .replaceAll(/\d+\.\d+(?:\.\d+)?(?: \([^)]*\))?/g, 'N');
}

describe('a run that no worker has taken', () => {
  it('is listed and shown as queued, named by doctor, and can be cancelled', async () => {
    const team = await teamWith({ 'short.yaml': SHORT });
    await team.run('workers', '--trust');
    const runId = await detached(team, 'short.yaml');
    expect((await team.run('runs')).stdout).toContain('queued (no worker has taken it yet)');
    expect((await team.run('show', runId)).stdout).toContain('no step has started');
    const found = await workersSection(team);
    expect(found).toContain('  ! no worker is running: runs wait until one is\n');
    expect(found).toContain(`  ✗ run ${runId} waits for a worker with version N, and none is running\n`);
    const cleaned = await team.run('clean', '--older-than', '0m', '--force');
    expect(cleaned.stderr).toBe('nothing to remove\n');
    expect((await team.run('cancel', runId)).stderr).toBe(
      `run \`${runId}\`: asked its worker to cancel it\n`,
    );
    await team.worker('one');
    await team.untilState(runId, ['ended']);
    expect((await team.run('show', runId)).stdout).toContain(`${runId}  cancelled`);
  });
});

describe('orchestrate doctor', () => {
  it('names the database, workers, and steps whose label no worker has', async () => {
    const team = await teamWith({ 'labelled.yaml': LABELLED });
    await team.worker('one');
    const runId = await detached(team, 'labelled.yaml');
    await team.untilRow(`select from orchestrate.calls where label = 'gpu'`);
    expect(await workersSection(team)).toBe(`workers
  ✓ the database of ORCHESTRATE_DATABASE_URL answers (PostgreSQL N)
  ✓ 1 worker is running: one (N)
  ✗ run ${runId}: no worker with version N has the label \`gpu\` of \`Train\`
      start one: orchestrate worker --labels gpu
`);
    expect((await team.run('doctor')).exitCode).toBe(1);
    await team.worker('two', '--no-runs', '--labels', 'gpu');
    await team.untilState(runId, ['ended']);
    expect(await workersSection(team)).not.toContain('✗');
    const shown = (await team.run('show', runId)).stdout;
    expect(shown).toContain('  hosted by one, steps on two\n');
  });

  it('names a worker that has not reported for weeks, as `workers` does', async () => {
    const team = await teamWith({});
    await team.run('workers', '--trust');
    await team.rows(
      `insert into orchestrate.workers (executor, name, machine, pid, version, labels, takes_runs, beat_at)
       values ('e', 'old', 'm', 1, '1', '{}', true, now() - interval '60 days')`,
    );
    const listed = await team.run('workers');
    expect(listed, listed.stderr).toMatchObject({ exitCode: 0 });
    expect(listed.stdout).toMatch(/^old {2}0 runs, 0 steps .*last heartbeat 51840\d\d\.\d s ago/);
    expect(await workersSection(team)).toMatch(/! worker `old` on m has not reported for 51840\d\d s\n/);
  });

  it('names runs and steps whose files no worker gets', async () => {
    const team = await teamWith({ 'labelled.yaml': LABELLED });
    const hub = join(temporaryFolder(), 'hub.git');
    execFileSync('git', ['init', '--quiet', '--bare', hub]);
    const start = '(in that folder, without a hub): orchestrate worker';
    const withHub = await team.worker('one', '--hub', hub, '--labels', 'gpu');
    const runId = await detached(team, 'labelled.yaml');
    expect(await workersSection(team)).toContain(
      `  ✗ run ${runId} waits for a worker with version N in the shared folder of its files, and none is running
      start one ${start}\n`,
    );
    await team.worker('two');
    await team.untilRow(`select from orchestrate.calls where label = 'gpu'`);
    expect(await workersSection(team)).toContain(
      `  ✗ run ${runId}: no worker with version N in the shared folder of its files has the label \`gpu\` of \`Train\`
      start one ${start} --labels gpu\n`,
    );
    withHub.child.kill('SIGTERM');
    await withHub.ended;
  });

  it('says what is missing where workers are set up', async () => {
    const team = await teamWith({});
    const unset = await team.start(['doctor'], { env: { ORCHESTRATE_DATABASE_URL: '' } }).ended;
    expect(unset.stdout).toContain('`.orchestrate/engine.yaml` is not trusted yet');
    await team.run('workers', '--trust');
    const gone = await team.start(['doctor'], {
      env: { ORCHESTRATE_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' },
    }).ended;
    expect(gone.stdout).toMatch(/✗ cannot use the database of ORCHESTRATE_DATABASE_URL: .*ECONNREFUSED/);
    expect(gone.exitCode).toBe(1);
  });
});

describe('orchestrate clean', () => {
  it('removes rows, workflows of DBOS and the folder; a run that waits or is running stays', async () => {
    const team = await teamWith({ 'short.yaml': SHORT, 'asks.yaml': ASKS, 'held.yaml': HELD });
    await team.worker('one');
    const ended = await team.carriedOut('short.yaml');
    const waiting = await team.carriedOut('asks.yaml');
    const held = await detached(team, 'held.yaml');
    await team.untilRow(`select from orchestrate.calls where key = 'Held' and started_at is not null`);
    const elsewhere = new Elsewhere(team);
    // From a folder without the runs, too.
    const dry = await elsewhere.run('clean', '--older-than', '0m', '--dry-run');
    expect(dry.stdout).toContain(ended);
    expect(dry.stderr).toBe('1 run would be removed\n');
    const cleaned = await team.run('clean', '--older-than', '0m', '--force');
    expect(cleaned).toMatchObject({ exitCode: 0, stderr: 'removed 1 run\n' });
    for (const [table, column] of [
      ['orchestrate.runs', 'run_id'],
      ['orchestrate.events', 'run_id'],
      ['orchestrate.calls', 'run_id'],
      ['dbos.workflow_status', 'workflow_uuid'],
    ])
      expect(
        await team.rows(`select from ${table} where ${column} like '${ended}%'`),
        `${table} of the removed run`,
      ).toEqual([]);
    const left = await team.rows('select run_id from orchestrate.runs order by run_id');
    expect(left.map(({ run_id }) => run_id)).toEqual([waiting, held].sort());
    expect(team.workspace.runs()).toEqual([waiting, held].sort());
    const listed = JSON.parse((await elsewhere.run('runs', '--json')).stdout) as readonly {
      readonly run_id: string;
    }[];
    expect(listed.map(({ run_id }) => run_id).sort()).toEqual([waiting, held].sort());
    team.workspace.write({ go: '' });
    await team.untilState(held, ['ended']);
  });
});

describe('the page of a folder that has no runs', () => {
  it('shows runs of workers and the workers, and answers a question', async () => {
    const team = await teamWith({ 'asks.yaml': ASKS, 'held.yaml': HELD });
    await team.worker('one');
    const waiting = await team.carriedOut('asks.yaml');
    const held = await detached(team, 'held.yaml');
    await team.untilRow(`select from orchestrate.calls where key = 'Held' and started_at is not null`);
    const elsewhere = new Elsewhere(team);
    const page = await servePage(elsewhere.workspace, [], { env: elsewhere.env });
    const tab = await openTab(await person(), page.url);
    await tab.getByText('Release?').first().waitFor();
    await tab.getByRole('link', { name: 'Workers' }).click();
    await tab.getByText(held).waitFor();
    await tab.getByText('Held', { exact: true }).waitFor();
    const answered = await page.act({ command: 'approve', run: waiting, step: 'Release', choice: 'ship' });
    expect(answered.body).toMatchObject({ ok: true });
    await team.untilRow(`select from orchestrate.runs where run_id = '${waiting}' and status = 'completed'`);
    await tab.goto(new URL(`${page.ws.replace('/api/v1', '')}/runs/${waiting}`, page.url).href);
    await tab.getByText('Completed').first().waitFor();
    const cancelled = await page.act({ command: 'cancel', run: held });
    expect(cancelled.body).toMatchObject({ ok: true, said: 'Asked its worker to cancel the run.' });
    await team.untilRow(`select from orchestrate.runs where run_id = '${held}' and status = 'cancelled'`);
    await tab.getByRole('link', { name: 'Runs' }).first().click();
    await tab.getByText('Cancelled').first().waitFor();
    expect(elsewhere.workspace.has('.orchestrate')).toBe(false);
  });
});
