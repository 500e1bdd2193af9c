/** Which operation is refused, with which error, and for how long. */
export interface Fault {
  readonly code: string;
  readonly kind: string;
  /** Counts the operations of this kind, from 1. */
  readonly number: number;
  /** Until the program has ended; else this once. */
  readonly lasts: boolean;
}

/** As in `rig/fail-at.cjs`. */
const HAPPENS_TO: Readonly<Record<string, readonly string[]>> = {
  ENOSPC: ['create', 'write', 'mkdir', 'link', 'rename', 'sync'],
  EIO: ['create', 'write', 'mkdir', 'link', 'rename', 'sync', 'unlink', 'truncate'],
  EACCES: ['create', 'mkdir', 'link', 'rename', 'unlink'],
  EROFS: ['create', 'write', 'mkdir', 'link', 'rename', 'unlink', 'truncate'],
  EMFILE: ['create'],
};

/** Every operation with every error that can happen to it, once and for good. */
export function allFaults(operations: readonly { readonly kind: string }[]): readonly Fault[] {
  const counts = new Map<string, number>();
  return operations.flatMap(({ kind }) => {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const codes = Object.entries(HAPPENS_TO).filter(([, kinds]) => kinds.includes(kind));
    return codes.flatMap(([code]) => [true, false].map((lasts): Fault => ({ code, kind, number, lasts })));
  });
}
