/** Workers are killed with SIGKILL at random moments and replaced, several times in one run. */
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { type Stage, sharedFolder } from './stage.ts';
import { pause, type TeamWorker } from './team.ts';
import { mustStartAgainOnlyAfter, type Work } from './work.ts';

export interface Series {
  readonly kills: number;
  readonly work: Work;
}

const FULL: Series = { kills: 10, work: { items: 60, atOnce: 6, seconds: 0.6 } };
/** For a sample: one kill, of a small run. */
export const SHORT: Series = { kills: 1, work: { items: 8, atOnce: 4, seconds: 0.6 } };
/** Moments are spread over the start of a worker, its steps and the dead-time. */
const LONGEST_BETWEEN_MS = 1500;

/** Who is killed: workers that only carry out steps, those that only host the run, both at once, or whoever. */
export type Victims = 'calls' | 'host' | 'both' | 'any';

export function* killPoints(count: number, { kills, work }: Series = FULL): Generator<Point> {
  for (const victims of ['calls', 'host', 'both', 'any'] as const)
    for (let nth = 1; nth <= count; nth += 1)
      yield {
        id: `kills/${victims}/${nth}`,
        check: (trial) =>
          withDatabase(trial, (url) =>
            killWorkers(trial, sharedFolder(trial, url, work), {
              ...{ victims, kills },
              longestBetweenMs: LONGEST_BETWEEN_MS,
            }),
          ),
      };
}

interface Killing {
  readonly victims: Victims;
  readonly kills: number;
  readonly longestBetweenMs: number;
}

export async function killWorkers(
  trial: Trial,
  stage: Stage,
  { victims, kills: most, longestBetweenMs }: Killing,
): Promise<void> {
  const { team, work } = stage;
  const does =
    victims === 'any' ? (['all', 'all', 'all'] as const) : (['hosts', 'hosts', 'calls', 'calls'] as const);
  let workers: TeamWorker[] = [];
  for (const each of does) workers.push(await stage.worker(each));
  const runId = await team.begin(stage.file);
  const lost = new Set<string>();
  for (let kills = 0; kills < most; ) {
    await pause(trial.random.integer(0, longestBetweenMs));
    if ((await team.count(`orchestrate.runs where run_id = '${runId}' and state = 'ended'`)) > 0) break;
    const host = await team.hostOf(runId);
    const chosen = choose(trial, victims, { workers, host });
    for (const victim of chosen) {
      lost.add(victim.name);
      await team.kill(victim);
    }
    for (const victim of chosen) await team.mustBeGone(victim.name);
    workers = workers.filter((worker) => !chosen.includes(worker));
    for (const { isHost } of chosen)
      workers.push(await stage.worker(victims === 'any' ? 'all' : isHost ? 'hosts' : 'calls'));
    kills += chosen.length;
    trial.count(`workers killed: ${victims}`, chosen.length);
  }
  await stage.mustBeDone(runId);
  // A host carries out no steps here: those that its successor found running start exactly once.
  mustStartAgainOnlyAfter(team, victims === 'host' ? new Set() : lost);
  const attached = await team.count(
    `orchestrate.events where run_id = '${runId}' and line like '%"again":"attached"%'`,
  );
  trial.count('steps that a new host found running and waited for', attached);
  trial.count('steps that started again', team.started.length - work.items - 1);
}

function choose(
  { random }: Trial,
  victims: Victims,
  { workers, host }: { readonly workers: readonly TeamWorker[]; readonly host: string | undefined },
): readonly TeamWorker[] {
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
