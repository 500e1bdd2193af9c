import type { Failure } from '../model/failure.ts';
import type { JournalWriteError } from '../store/journal-file.ts';

/** Why a run is stopped from outside; the reason of the signal given to it. */
export type RunStop =
  | { readonly type: 'interrupted'; readonly signal: string }
  | { readonly type: 'cancelled' };

/** Every reason for which open calls are given up (L3). */
export type Stop =
  | RunStop
  | { readonly type: 'suspended' }
  | { readonly type: 'journal-failed'; readonly failure: Failure };

export function isStop(problem: unknown): problem is Stop {
  return typeof problem === 'object' && problem !== null && 'type' in problem && !(problem instanceof Error);
}

export function journalFailure(problem: JournalWriteError): Failure {
  return { type: 'file', operation: 'write', path: problem.path, code: problem.code };
}

export function fileFailure(operation: string, path: string, problem: unknown): Failure {
  return { type: 'file', operation, path, code: (problem as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
}
