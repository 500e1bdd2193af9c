import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { answerPoints } from './answers.ts';
import { clockPoints } from './clocks.ts';
import { killPoints, SHORT } from './kills.ts';
import { networkPoints } from './network.ts';
import { outagePoints } from './outages.ts';
import { zombiePoints } from './zombies.ts';

export const cluster: Suite = {
  name: 'cluster',
  title:
    'Workers, hosts and the database of runs on several machines are killed, stopped and disconnected, and clocks differ: every run ends, each step is recorded once, only steps whose worker was lost start again, and nothing of a killed worker is left.',
  timeLimitMs: 600_000,
  atOnce: 2,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  if (scale === 'quick') {
    yield* random.sample([...killPoints(1, SHORT)], 1);
    return;
  }
  yield* killPoints(6);
  yield* zombiePoints(3);
  yield* outagePoints([30, 300]);
  yield* networkPoints([30, 300]);
  yield* answerPoints(20);
  yield* clockPoints();
}
