/** A machine is stopped for three dead-times and then continues: it must record nothing and move no ref. */
import { withDatabase } from '../cluster/database.ts';
import { pause } from '../cluster/team.ts';
import { mustStartAgainOnlyAfter, type Work } from '../cluster/work.ts';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { createMachines } from './machines.ts';
import { itemsFile, mustBeWhole } from './work.ts';

const WORK: Work = { items: 12, atOnce: 4, seconds: 1 };
const LATEST_STOP_MS = 4000;

export function* zombiePoints(each: number): Generator<Point> {
  for (const whom of ['host', 'calls'] as const)
    for (let nth = 1; nth <= each; nth += 1)
      yield {
        id: `zombies/${whom}/${nth}`,
        check: (trial) => withDatabase(trial, (url) => zombie(trial, url, whom)),
      };
}

async function zombie(trial: Trial, url: string, whom: 'host' | 'calls'): Promise<void> {
  const machines = createMachines(trial, url, (outside) => ({ 'items.yaml': itemsFile(WORK, outside) }));
  const { team, refs } = machines;
  const workers = [];
  for (const does of ['hosts', 'hosts', 'calls', 'calls'] as const) workers.push(await machines.worker(does));
  const runId = await team.begin('items.yaml');
  await team.until('the first step', async () => team.started.length > 0);
  await pause(trial.random.integer(0, LATEST_STOP_MS));
  const host = await team.hostOf(runId);
  const victim = workers.find(({ name, isHost }) => (whom === 'host' ? name === host : !isHost));
  if (victim === undefined) return trial.skip('the run was over before the machine was stopped');
  team.mustLive([victim]);
  process.kill(victim.pid, 'SIGSTOP');
  await pause(team.deadAfterSec * 3000);
  await mustBeWhole(machines, runId, WORK);
  const rows = `select * from orchestrate.events where run_id = '${runId}' order by seq`;
  const [rowsBefore, refsBefore] = [await team.rows(rows), refs()];
  process.kill(victim.pid, 'SIGCONT');
  const ended = await victim.ended;
  must(ended.exitCode === 1, () => ({
    expected: 'exit code 1 of a worker that was given up',
    found: `${ended.signal ?? ended.exitCode}: ${ended.stderr}`,
  }));
  await team.mustBeGone(victim.name);
  mustEqual(await team.rows(rows), rowsBefore, 'rows after the worker continued');
  mustEqual(refs(), refsBefore, 'refs of the hub after the worker continued');
  mustStartAgainOnlyAfter(team, new Set([victim.name]));
  trial.count('machines that were stopped for three dead-times');
}
