/** A worker that is stopped while it hosts a run, or carries out a step. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { countOf, until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { Team } from './team.ts';

const database = databaseForFile();

const ISOLATED = `name: isolated
steps:
  - name: Work
    command: [sh, -c, 'echo x > work.txt']
    isolate: worktree
`;

/** Its file `large` takes until the file `go` appears to be checked out, as one that is downloaded. */
function team(): Team {
  const machines = new Team(database.url, {
    ...{ 'isolated.yaml': ISOLATED, large: 'large\n' },
    ...{ '.gitattributes': 'large filter=slow\n', '.gitignore': '.orchestrate/\nstarts\ngo\n' },
  });
  const { folder } = machines.workspace;
  const git = (...argv: readonly string[]): void => void execFileSync('git', argv, { cwd: folder });
  git('init', '--quiet');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  const slow = `echo x >> ${folder}/starts; while [ ! -e ${folder}/go ]; do sleep 0.05; done; cat`;
  git('config', 'filter.slow.smudge', `sh -c '${slow}'`);
  return machines;
}

it('a worker that is stopped records no failure of what it ends in its runs: the next host does that again', async () => {
  const machines = team();
  const workers = [
    await machines.worker('one', '--drain', '1'),
    await machines.worker('two', '--drain', '1'),
  ];
  const { stdout } = await machines.run('run', 'isolated.yaml', '--engine', '--detach');
  const runId = stdout.trim();
  await until(() => countOf(machines.workspace, 'starts') === 1);
  const first = await machines.hostOf(runId);
  const stopped = workers.find(({ name }) => name === first);
  stopped?.child.kill('SIGTERM');
  const ended = await stopped?.ended;
  expect(ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(/warning|error/) });
  machines.workspace.write({ go: '' });
  await machines.untilState(runId, ['ended']);
  const [run] = await machines.rows(`select status, problem from orchestrate.runs where run_id = '${runId}'`);
  expect(run).toEqual({ status: 'completed', problem: null });
  expect(await machines.hostOf(runId)).not.toBe(first);
  expect(machines.workspace.read('work.txt')).toBe('x\n');
}, 60_000);

const HELD = `name: held
steps:
  - name: Held
    command: [sh, -c, 'echo x >> starts; while [ ! -e go ]; do sleep 0.05; done']
`;

it('a worker that is stopped has not died of its step, which starts again on another', async () => {
  const machines = new Team(await database.create(), {
    ...{
      'held.yaml': HELD,
      '.orchestrate/engine.yaml': 'poll_ms: 100\ndead_after_sec: 3\nmax_worker_deaths: 1\n',
    },
  });
  await machines.worker('host', '--labels', 'other');
  const first = await machines.worker('one', '--no-runs', '--drain', '0');
  const { stdout } = await machines.run('run', 'held.yaml', '--engine', '--detach');
  const runId = stdout.trim();
  await until(() => countOf(machines.workspace, 'starts') === 1);
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ exitCode: 0 });
  await machines.worker('two', '--no-runs');
  machines.workspace.write({ go: '' });
  await machines.untilState(runId, ['ended']);
  const [run] = await machines.rows(`select status, problem from orchestrate.runs where run_id = '${runId}'`);
  expect(run).toEqual({ status: 'completed', problem: null });
  expect(countOf(machines.workspace, 'starts')).toBe(2);
}, 90_000);
