/**
 * Where an act is killed.
 *
 * M1 Between one change of the disk and the next the disk stays the same for who is killed, and a sync changes nothing: such a stretch is killed
 *    once, at a moment that the seed chooses. All stretches are, so every disk that a kill can leave behind is there in every full run.
 * M2 A write may be cut off in its middle. What is only for people to read, and a file that has no name yet under which anybody looks for it,
 *    count as the stretch before; every other write is also killed half made.
 */
import type { Random } from '../random.ts';
import type { Operation } from './rehearse.ts';
import type { KillOrder } from './stage.ts';

export interface Moment {
  readonly order: Required<Pick<KillOrder, 'when' | 'name' | 'number'>>;
  readonly kind: string;
}

const UNREAD = /\/logs\/[^/]+$|\/\.[^/]+\.~[^/]+\.tmp$/;

export function momentsOf(operations: readonly Operation[], random: Random): readonly Moment[] {
  const stretches: Moment[][] = [[]];
  const halves: Moment[] = [];
  for (const operation of operations) {
    stretches.at(-1)?.push(at(operation, 'before'));
    if (operation.kind === 'write' && (operation.size ?? 0) > 1) {
      if (UNREAD.test(operation.path)) stretches.at(-1)?.push(at(operation, 'torn'));
      else halves.push(at(operation, 'torn'));
    }
    if (operation.kind !== 'sync') stretches.push([]);
    stretches.at(-1)?.push(at(operation, 'after'));
  }
  return [
    ...stretches.filter((moments) => moments.length > 0).map((moments) => random.pick(moments)),
    ...halves,
  ];
}

function at({ name, number, kind }: Operation, when: Moment['order']['when']): Moment {
  return { order: { when, name, number }, kind };
}
