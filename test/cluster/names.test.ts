/** The name of a worker belongs to one that lives (H4 of `cluster/membership.ts`), and one that is stopped while it starts ends. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { type Started, until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { Team } from './team.ts';

const database = databaseForFile();

async function team(): Promise<Team> {
  const engine = 'poll_ms: 100\ndead_after_sec: 8\n';
  return new Team(await database.create(), { '.orchestrate/engine.yaml': engine });
}

/** A second worker with a name, which waits for the first one. */
async function waiting(machines: Team, name: string): Promise<Started> {
  const started = machines.start(['worker', '--name', name]);
  let stderr = '';
  started.child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  await until(() => /waiting up to \d s for worker/.test(stderr) || stderr.includes(' takes '));
  return started;
}

const SILENT = `select from orchestrate.workers where name = 'one' and beat_at < now() - interval '9 seconds'`;

it('a worker that was silent for long, as after an outage, keeps its name if it reports again', async () => {
  const machines = await team();
  const one = await machines.worker('one');
  one.child.kill('SIGSTOP');
  await machines.untilRow(SILENT);
  const second = await waiting(machines, 'one');
  one.child.kill('SIGCONT');
  const ended = await second.ended;
  expect(ended).toMatchObject({ exitCode: 4 });
  expect(ended.stderr).toContain('a worker named `one` is running');
  expect(await machines.rows('select dead_at from orchestrate.workers')).toEqual([{ dead_at: null }]);
  expect(one.child.exitCode).toBe(null);
}, 90_000);

it('a worker gets the name of one that was killed, and one that is stopped while it waits for that ends', async () => {
  const machines = await team();
  const one = await machines.worker('one');
  one.child.kill('SIGKILL');
  await one.ended;
  const stopped = await waiting(machines, 'one');
  stopped.child.kill('SIGTERM');
  expect(await stopped.ended).toMatchObject({ exitCode: 0 });
  expect(await machines.rows('select dead_at from orchestrate.workers')).toEqual([{ dead_at: null }]);
  const next = await machines.worker('one');
  expect(next.stderr()).toMatch(
    /^warning: waiting up to \d s for worker `one`, which has not reported for \d+ s, before this one takes its name$/m,
  );
}, 90_000);

it('a worker that is stopped while it starts ends, and takes nothing', async () => {
  const machines = await team();
  await machines.worker('one');
  const client = new pg.Client({ connectionString: machines.url });
  await client.connect();
  await client.query('begin');
  // It registers its queues last.
  await client.query('lock table dbos.queues in exclusive mode');
  const starting = machines.start(['worker', '--name', 'two']);
  onTestFinished(() => void starting.child.kill('SIGKILL'));
  await machines.untilRow(`select from orchestrate.workers where name = 'two'`);
  starting.child.kill('SIGTERM');
  let stderr = '';
  starting.child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await until(() => stderr.includes('Received SIGTERM'));
  await client.query('commit');
  await client.end();
  const ended = await starting.ended;
  expect(ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining(' takes ') });
}, 90_000);
