/** Which operation is refused, with which error, and for how long. */
import type { Random } from '../random.ts';

export interface Fault {
  readonly code: string;
  readonly kind: string;
  /** Counts the operations of this kind, from 1. */
  readonly number: number;
  /** Until the program has ended; otherwise only once. */
  readonly lasts: boolean;
}

/** A file that cannot be opened, read or closed, or a folder that cannot be listed, as in `rig/fail-reading.cjs`. */
export interface ReadingFault extends Fault {
  readonly kind: 'open' | 'read' | 'close' | 'list';
}

interface Operation {
  readonly kind: string;
  readonly path: string;
}

/** As in `rig/fail-at.cjs`. */
const HAPPENS_TO: Readonly<Record<string, readonly string[]>> = {
  ENOSPC: ['create', 'write', 'mkdir', 'link', 'rename', 'sync'],
  EIO: ['create', 'write', 'mkdir', 'link', 'rename', 'sync', 'unlink', 'truncate'],
  EACCES: ['create', 'mkdir', 'link', 'rename', 'unlink'],
  EROFS: ['create', 'write', 'mkdir', 'link', 'rename', 'unlink', 'truncate'],
  EMFILE: ['create'],
};

/** Every operation with every possible error, once and permanently: one list per operation. */
function allFaults(operations: readonly Operation[]): readonly (readonly Fault[])[] {
  const counts = new Map<string, number>();
  return operations.map(({ kind }) => {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const codes = Object.entries(HAPPENS_TO).filter(([, kinds]) => kinds.includes(kind));
    return codes.flatMap(([code]) => [true, false].map((lasts): Fault => ({ code, kind, number, lasts })));
  });
}

/** Picks one of similar operations, which do the same to files of the same name, with one of its faults. */
export function chosenFaults(operations: readonly Operation[], random: Random): readonly Fault[] {
  const alike = new Map<string, (readonly Fault[])[]>();
  for (const [index, faults] of allFaults(operations).entries()) {
    const { kind = '', path = '' } = operations[index] ?? {};
    const like = `${kind} ${path.replaceAll(/\.~[^/]+\.tmp|\d{8}T\d{6}Z-[a-z0-9]{6}|\d+/g, '#')}`;
    if (faults.length > 0) alike.set(like, [...(alike.get(like) ?? []), faults]);
  }
  return [...alike.values()].map((many) => random.pick(random.pick(many)));
}

const READING: readonly (readonly [ReadingFault['kind'], readonly string[]])[] = [
  ['open', ['EIO', 'EACCES', 'EMFILE']],
  ['read', ['EIO']],
  ['close', ['EIO']],
  ['list', ['EIO', 'EACCES']],
];
/** A command makes a few dozen of each kind. */
const MOST_READINGS = 24;

/** One of each kind, at any position. One that is never reached does not matter. */
export function chosenReadingFaults(random: Random): readonly ReadingFault[] {
  return READING.map(([kind, codes]) => ({
    kind,
    code: random.pick(codes),
    number: random.integer(1, MOST_READINGS),
    lasts: random.pick([true, false]),
  }));
}
