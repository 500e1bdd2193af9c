/**
 * Where an act is killed.
 *
 * S1 From one change of the disk to the next it stays the same for who goes on; a sync changes nothing for who is killed, and what is written to
 *    a log, or to a file that has not got its name yet, is read by nobody. Such a stretch is killed once, at a moment that the seed chooses:
 *    before, after or within one of its operations. All stretches are, so every full run meets every disk that a kill can leave.
 * S2 Of the writes to files that are read, every other one is also killed half made, as the seed chooses.
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
    const isWrite = operation.kind === 'write';
    const isUnread = isWrite && UNREAD.test(operation.path);
    stretches.at(-1)?.push(at(operation, 'before'));
    if (isWrite && (operation.size ?? 0) > 1)
      (isUnread ? stretches.at(-1) : halves)?.push(at(operation, 'torn'));
    if (operation.kind !== 'sync' && !isUnread) stretches.push([]);
    stretches.at(-1)?.push(at(operation, 'after'));
  }
  return [
    ...stretches.filter((moments) => moments.length > 0).map((moments) => random.pick(moments)),
    ...random.sample(halves, Math.ceil(halves.length / 2)),
  ];
}

function at({ name, number, kind }: Operation, when: Moment['order']['when']): Moment {
  return { order: { when, name, number }, kind };
}
