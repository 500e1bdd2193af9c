/** A worker is stopped for three dead-times and then continues: its work was given to others, and it must not touch it again. */
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { type Stage, sharedFolder } from './stage.ts';
import { pause } from './team.ts';
import { mustStartAgainOnlyAfter, type Work } from './work.ts';

const WORK: Work = { items: 16, atOnce: 4, seconds: 1 };
const LATEST_STOP_MS = 3000;

export function* zombiePoints(
  each: number,
  stageOf = (trial: Trial, url: string): Stage => sharedFolder(trial, url, WORK),
): Generator<Point> {
  for (const whom of ['host', 'calls'] as const)
    for (let nth = 1; nth <= each; nth += 1)
      yield {
        id: `zombies/${whom}/${nth}`,
        check: (trial) => withDatabase(trial, (url) => stopAndContinue(trial, stageOf(trial, url), whom)),
      };
}

async function stopAndContinue(trial: Trial, stage: Stage, whom: 'host' | 'calls'): Promise<void> {
  const { team } = stage;
  const workers = [];
  for (const does of ['hosts', 'hosts', 'calls', 'calls'] as const) workers.push(await stage.worker(does));
  const runId = await team.begin(stage.file);
  await team.until('the first step', async () => team.started.length > 0);
  await pause(trial.random.integer(0, LATEST_STOP_MS));
  const host = await team.hostOf(runId);
  const victim = workers.find(({ name, isHost }) => (whom === 'host' ? name === host : !isHost));
  // The run may have ended.
  if (victim === undefined) return trial.skip('the run had ended before the worker was stopped');
  team.mustLive([victim]);
  process.kill(victim.pid, 'SIGSTOP');
  await pause(team.deadAfterSec * 3000);
  await stage.mustBeDone(runId);
  const before = await stage.recorded(runId);
  process.kill(victim.pid, 'SIGCONT');
  const ended = await victim.ended;
  must(ended.exitCode === 1, () => ({
    expected: 'exit code 1 of a worker that was given up',
    found: `${ended.signal ?? ended.exitCode}: ${ended.stderr}`,
  }));
  await team.mustBeGone(victim.name);
  mustEqual(await stage.recorded(runId), before, 'what is recorded after the worker continued');
  mustStartAgainOnlyAfter(team, new Set([victim.name]));
  trial.count('workers that were stopped for three dead-times');
}
