import { programCases } from '../site/programs.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { limitDuringWait, limitOverRestarts } from './limits.ts';
import { farClock, pausePoints, questionPoint, wildClock, zonePoints } from './pauses.ts';
import { rebootPoint } from './reboots.ts';

export const time: Suite = {
  name: 'time',
  title:
    'The clock is set forward and back, the hour changes, a limit lasts three days, the machine is rebooted: waits end on time, no duration is negative, no wait counts as an attempt.',
  timeLimitMs: 120_000,
  atOnce: 3,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const names = programCases().map(({ name }) => name);
  if (scale === 'quick') {
    yield limitOverRestarts(random.pick(names), 'SIGKILL');
    yield* random.sample([...pausePoints()], 3);
    yield* random.sample([...zonePoints()], 1);
    yield* [wildClock(0), rebootPoint(random.pick(names), 'other-boot')];
    return;
  }
  for (const name of names) {
    yield* [limitOverRestarts(name, 'SIGKILL'), limitOverRestarts(name, 'SIGTERM'), limitDuringWait(name)];
    for (const how of ['other-boot', 'other-start', 'other-machine', 'same'] as const)
      yield rebootPoint(name, how);
  }
  yield* [...pausePoints(), questionPoint(), ...zonePoints()];
  for (let round = 0; round < 12; round += 1) yield wildClock(round);
  for (const year of [1970, 2000, 2038, 2106, 9999]) yield farClock(year);
}
