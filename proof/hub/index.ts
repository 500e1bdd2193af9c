import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { answerPoints } from './answers.ts';
import { cancelPoints } from './cancels.ts';
import { killPoints, SHORT } from './kills.ts';
import { versionPoints } from './versions.ts';
import { zombieMachines } from './zombies.ts';

export const hub: Suite = {
  name: 'hub',
  title:
    'Machines that share only a database and a git repository are killed and stopped, and runs are cancelled and answered at random moments: no file is lost, each step is recorded once, a machine that was given up moves no ref, and nothing of cancelled steps runs when `finally` starts.',
  timeLimitMs: 300_000,
  atOnce: 2,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  if (scale === 'quick') {
    yield* random.sample([...killPoints(1, SHORT)], 1);
    return;
  }
  yield* killPoints(4);
  yield* zombieMachines(2);
  yield* cancelPoints(6);
  yield* answerPoints(4);
  yield* versionPoints();
}
