/** Workers are killed with SIGKILL at random moments and replaced, several times in one run. */
import type { Random } from '../random.ts';
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { pause, Team, type TeamWorker } from './team.ts';
import { mustBeDoneOnce, mustStartAgainOnlyAfter, mustStartOnce, type Work, workFile } from './work.ts';

interface Series {
  readonly kills: number;
  readonly work: Work;
}

const FULL: Series = { kills: 10, work: { items: 60, atOnce: 6, seconds: 0.6 } };
/** For a sample: one kill, of a small run. */
export const SHORT: Series = { kills: 1, work: { items: 8, atOnce: 4, seconds: 0.6 } };
/** Moments are spread over the start of a worker, its steps and the dead-time. */
const LONGEST_BETWEEN_MS = 1500;

/** Who is killed: workers that only carry out steps, those that only host the run, both at once, or whoever. */
const VICTIMS = ['calls', 'host', 'both', 'any'] as const;
type Victims = (typeof VICTIMS)[number];

export function* killPoints(count: number, series: Series = FULL): Generator<Point> {
  for (const victims of VICTIMS)
    for (let nth = 1; nth <= count; nth += 1)
      yield {
        id: `kills/${victims}/${nth}`,
        check: (trial) => withDatabase(trial, killing(trial, victims, series)),
      };
}

function killing(
  trial: Trial,
  victims: Victims,
  { kills: most, work }: Series,
): (url: string) => Promise<void> {
  return async (url) => {
    const team = new Team(trial, { url, files: { 'work.yaml': workFile(work) } });
    const does =
      victims === 'any' ? (['all', 'all', 'all'] as const) : (['hosts', 'hosts', 'calls', 'calls'] as const);
    let workers: TeamWorker[] = [];
    for (const each of does) workers.push(await team.worker(each));
    const runId = await team.begin('work.yaml');
    const lost = new Set<string>();
    for (let kills = 0; kills < most; ) {
      await pause(trial.random.integer(0, LONGEST_BETWEEN_MS));
      if ((await team.count(`orchestrate.runs where run_id = '${runId}' and state = 'ended'`)) > 0) break;
      const chosen = await choose(team, runId, { workers, victims, random: trial.random });
      for (const victim of chosen) {
        lost.add(victim.name);
        await team.kill(victim);
      }
      for (const victim of chosen) await team.mustBeGone(victim.name);
      workers = workers.filter((worker) => !chosen.includes(worker));
      for (const { isHost } of chosen)
        workers.push(await team.worker(victims === 'any' ? 'all' : isHost ? 'hosts' : 'calls'));
      kills += chosen.length;
      trial.count(`workers killed: ${victims}`, chosen.length);
    }
    await mustBeDoneOnce(team, runId, work);
    if (victims === 'host') mustStartOnce(team);
    else mustStartAgainOnlyAfter(team, lost);
    const attached = await team.count(
      `orchestrate.events where run_id = '${runId}' and line like '%"again":"attached"%'`,
    );
    trial.count('steps that a new host found running and waited for', attached);
    trial.count('steps that started again', team.started.length - work.items - 1);
  };
}

async function choose(
  team: Team,
  runId: string,
  {
    workers,
    victims,
    random,
  }: { readonly workers: readonly TeamWorker[]; readonly victims: Victims; readonly random: Random },
): Promise<readonly TeamWorker[]> {
  const host = await team.hostOf(runId);
  const hosting = workers.filter(({ name }) => name === host);
  const carrying = random.pick(workers.filter(({ isHost }) => !isHost || victims === 'any'));
  switch (victims) {
    case 'calls':
    case 'any':
      return [carrying];
    case 'host':
      return hosting;
    case 'both':
      return [...hosting, carrying];
  }
}
