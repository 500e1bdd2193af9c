/**
 * The moments at which an act is killed.
 *
 * S1 Between two changes of the disk the result of a kill is the same; a sync changes nothing for a kill, and writes to
 *    a log, or to a file without its final name, are never read. Such a stretch is killed once, at a moment chosen by the seed:
 *    before, after or within one of its operations. Every stretch is, so a full run covers every disk state that a kill can leave.
 * S2 Every other write to a file that is read is also killed half done, as the seed chooses.
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
