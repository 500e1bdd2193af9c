import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { movedPoints } from './moved.ts';
import { ownerPoints } from './owners.ts';
import { windowPoints } from './window.ts';

export const identity: Suite = {
  name: 'identity',
  title:
    'Another machine, container or boot wants a run: a living owner is never taken for dead, and one that is certainly dead is taken over. A start is killed while creating the folder of its run: every visible run can be read. The folder of a run is moved: the run reports it and creates nothing in the old place.',
  atOnce: 2,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const kinds = [[...ownerPoints()], [...windowPoints()], [...movedPoints()]];
  for (const points of kinds) yield* scale === 'quick' ? random.sample(points, 2) : points;
}
