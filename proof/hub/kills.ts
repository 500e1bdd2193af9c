/** Workers and hosts on machines of their own are killed with SIGKILL at random moments and replaced by new machines. */
import { withDatabase } from '../cluster/database.ts';
import { pause, type TeamWorker } from '../cluster/team.ts';
import { mustStartAgainOnlyAfter, type Work } from '../cluster/work.ts';
import type { Point, Trial } from '../suite.ts';
import { createMachines, type Machines } from './machines.ts';
import { itemsFile, mustBeWhole } from './work.ts';

interface Series {
  readonly kills: number;
  readonly work: Work;
}

const FULL: Series = { kills: 5, work: { items: 20, atOnce: 4, seconds: 0.6 } };
/** For a sample. */
export const SHORT: Series = { kills: 1, work: { items: 6, atOnce: 3, seconds: 0.6 } };
/** Moments are spread over a step with its checkout, its commit and its merge, and the dead-time. */
const LONGEST_BETWEEN_MS = 3000;

const VICTIMS = ['calls', 'host', 'both'] as const;
type Victims = (typeof VICTIMS)[number];

export function* killPoints(each: number, series: Series = FULL): Generator<Point> {
  for (const victims of VICTIMS)
    for (let nth = 1; nth <= each; nth += 1)
      yield {
        id: `kills/${victims}/${nth}`,
        check: (trial) => withDatabase(trial, (url) => killing(trial, { url, victims, series })),
      };
}

async function killing(
  trial: Trial,
  { url, victims, series }: { readonly url: string; readonly victims: Victims; readonly series: Series },
): Promise<void> {
  const { work } = series;
  const machines = createMachines(trial, url, (outside) => ({ 'items.yaml': itemsFile(work, outside) }));
  const { team } = machines;
  let workers: TeamWorker[] = [];
  for (const does of ['hosts', 'hosts', 'calls', 'calls'] as const) workers.push(await machines.worker(does));
  const runId = await team.begin('items.yaml');
  const lost = new Set<string>();
  for (let kills = 0; kills < series.kills; ) {
    await pause(trial.random.integer(0, LONGEST_BETWEEN_MS));
    if ((await team.count(`orchestrate.runs where run_id = '${runId}' and state = 'ended'`)) > 0) break;
    const chosen = await choose(machines, runId, { workers, victims, trial });
    for (const victim of chosen) {
      lost.add(victim.name);
      await team.kill(victim);
    }
    for (const victim of chosen) await team.mustBeGone(victim.name);
    workers = workers.filter((worker) => !chosen.includes(worker));
    for (const { isHost } of chosen) workers.push(await machines.worker(isHost ? 'hosts' : 'calls'));
    kills += chosen.length;
    trial.count(`machines killed: ${victims}`, chosen.length);
  }
  await mustBeWhole(machines, runId, work);
  mustStartAgainOnlyAfter(team, victims === 'host' ? new Set() : lost);
}

async function choose(
  { team }: Machines,
  runId: string,
  {
    workers,
    victims,
    trial,
  }: { readonly workers: readonly TeamWorker[]; readonly victims: Victims; readonly trial: Trial },
): Promise<readonly TeamWorker[]> {
  const host = await team.hostOf(runId);
  const hosting = workers.filter(({ name }) => name === host);
  const carrying = trial.random.pick(workers.filter(({ isHost }) => !isHost));
  return victims === 'calls' ? [carrying] : victims === 'host' ? hosting : [...hosting, carrying];
}
