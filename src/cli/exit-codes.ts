import type { RunEnd } from '../host/carrying/carry-out.ts';
import { unreachable } from '../model/unreachable.ts';

/** Exit codes of the process. `claude-iterate` has its own contract: 0 or 1. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  held: 4,
  bug: 70,
  interrupted: { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 },
} as const;

export function exitCodeOf(end: RunEnd): number {
  switch (end.status) {
    case 'completed':
      return EXIT.done;
    case 'waiting':
      return EXIT.waiting;
    case 'interrupted':
      return EXIT.interrupted[(end.signal ?? 'SIGINT') as keyof typeof EXIT.interrupted] ?? 130;
    case 'failed':
      return end.failure?.type === 'internal-error' ? EXIT.bug : EXIT.failed;
    case 'cancelled':
      return EXIT.failed;
    default:
      return unreachable(end.status);
  }
}
