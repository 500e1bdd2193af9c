import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { ownerPoints } from './owners.ts';

export const identity: Suite = {
  name: 'identity',
  title:
    'Another machine, container or boot wants a run: a living owner is never taken for dead, and one that is certainly dead is taken over.',
  atOnce: 2,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const owners = [...ownerPoints()];
  if (scale === 'quick') {
    yield* random.sample(owners, 4);
    return;
  }
  yield* owners;
}
