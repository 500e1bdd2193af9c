import { programCases } from '../site/programs.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { heirsDie, oneOwner } from './one-owner.ts';
import { readerParts, readersAfter, readersBeside } from './readers.ts';
import { answersAtOnce, runsAtOnce, takersAtOnce } from './runs.ts';
import { creations, hooksAtOnce, switches, taskUpdates } from './updates.ts';

export const contention: Suite = {
  name: 'contention',
  title:
    'Many processes compete for the same resource: one gets it, the others learn which process has it, and no update is lost.',
  timeLimitMs: 240_000,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const cases = programCases();
  if (scale === 'quick') {
    const some = random.sample(cases, 2);
    for (const program of some) yield oneOwner(program, 'killed', 3);
    yield oneOwner(random.pick(cases), 'stopped', 3);
    yield* random.sample(cases, 1).map((program) => heirsDie(program, 0, 4));
    yield* [hooksAtOnce(8), taskUpdates(3, 8), runsAtOnce(4), takersAtOnce(2, 4), switches(4), creations(3)];
    yield readersAfter(random.pick(cases), random.sample(readerParts(1).flat(), 5), 'some');
    return;
  }
  for (const program of cases) {
    const count = program.name === 'workflow' ? 100 : 24;
    for (const how of ['stopped', 'killed', 'killed-late'] as const) {
      // Sessions and conversations check for a live owner before they ask for the lock.
      const checksFirst = program.name === 'session' || program.name === 'converse';
      if (how !== 'killed-late' || !checksFirst) yield oneOwner(program, how, count);
    }
    for (let round = 0; round < 6; round += 1) yield heirsDie(program, round, 12);
    for (const [number, part] of readerParts(2).entries()) yield readersAfter(program, part, String(number));
  }
  yield* [hooksAtOnce(200), hooksAtOnce(20), taskUpdates(8, 125), runsAtOnce(50), takersAtOnce(30, 60)];
  yield* [answersAtOnce(20), switches(40), creations(40), readersBeside(40)];
}
