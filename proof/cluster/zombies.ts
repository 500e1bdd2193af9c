/** A worker is stopped for three dead-times and then continues: its work was given to others, and it must not touch it again. */
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { pause, Team } from './team.ts';
import { mustBeDoneOnce, mustStartAgainOnlyAfter, type Work, workFile } from './work.ts';

const WORK: Work = { items: 16, atOnce: 4, seconds: 1 };
const LATEST_STOP_MS = 3000;

export function* zombiePoints(each: number): Generator<Point> {
  for (const whom of ['host', 'calls'] as const)
    for (let nth = 1; nth <= each; nth += 1)
      yield { id: `zombies/${whom}/${nth}`, check: (trial) => withDatabase(trial, zombie(trial, whom)) };
}

function zombie(trial: Trial, whom: 'host' | 'calls'): (url: string) => Promise<void> {
  return async (url) => {
    const team = new Team(trial, { url, files: { 'work.yaml': workFile(WORK) } });
    const workers = [await team.worker('hosts'), await team.worker('hosts')];
    for (let n = 0; n < 2; n += 1) workers.push(await team.worker('calls'));
    const runId = await team.begin('work.yaml');
    await team.until('the first step', async () => team.started.length > 0);
    await pause(trial.random.integer(0, LATEST_STOP_MS));
    const host = await team.hostOf(runId);
    const victim = workers.find(({ name, isHost }) => (whom === 'host' ? name === host : !isHost));
    // The run may have ended.
    if (victim === undefined) return trial.skip('the run was over before the worker was stopped');
    team.mustLive([victim]);
    process.kill(victim.pid, 'SIGSTOP');
    await pause(team.deadAfterSec * 3000);
    await mustBeDoneOnce(team, runId, WORK);
    const before = await team.rows(`select * from orchestrate.events where run_id = '${runId}' order by seq`);
    process.kill(victim.pid, 'SIGCONT');
    const ended = await victim.ended;
    must(ended.exitCode === 1, () => ({
      expected: 'exit code 1 of a worker that was given up',
      found: `${ended.signal ?? ended.exitCode}: ${ended.stderr}`,
    }));
    mustEqual(
      await team.rows(`select * from orchestrate.events where run_id = '${runId}' order by seq`),
      before,
      'rows after the worker continued',
    );
    await team.mustBeGone(victim.name);
    mustStartAgainOnlyAfter(team, new Set([victim.name]));
    trial.count('workers that were stopped for three dead-times');
  };
}
