/** Workers and hosts on machines of their own are killed with SIGKILL at random moments and replaced by new machines. */
import { withDatabase } from '../cluster/database.ts';
import { killWorkers, type Series } from '../cluster/kills.ts';
import type { Point } from '../suite.ts';
import { machinesWithHub } from './work.ts';

const FULL: Series = { kills: 5, work: { items: 20, atOnce: 4, seconds: 0.6 } };
/** For a sample. */
export const SHORT: Series = { kills: 1, work: { items: 6, atOnce: 3, seconds: 0.6 } };
/** Moments are spread over a step with its checkout, its commit and its merge, and the dead-time. */
const LONGEST_BETWEEN_MS = 3000;

export function* killPoints(each: number, { kills, work }: Series = FULL): Generator<Point> {
  for (const victims of ['calls', 'host', 'both'] as const)
    for (let nth = 1; nth <= each; nth += 1)
      yield {
        id: `kills/${victims}/${nth}`,
        check: (trial) =>
          withDatabase(trial, (url) =>
            killWorkers(trial, machinesWithHub(trial, url, work), {
              ...{ victims, kills },
              longestBetweenMs: LONGEST_BETWEEN_MS,
            }),
          ),
      };
}
