import { setMaxListeners } from 'node:events';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { JournalWriteError } from '../store/journal-file.ts';

/** Why a run is stopped from outside; the `reason` of its signal. */
export type RunStop =
  | { readonly type: 'interrupted'; readonly signal: string }
  /** `endNow`: skips the clean-up at the end as well. */
  | { readonly type: 'cancelled'; readonly endNow?: AbortSignal };

/** Every reason to reject open calls (L3). */
export type Stop =
  | RunStop
  | { readonly type: 'suspended' }
  | { readonly type: 'journal-failed'; readonly failure: Failure }
  /** Running work is not rejected: it continues in the folder, wherever that is. */
  | { readonly type: 'moved'; readonly failure: Failure };

/** A program has stopped one of its branches; everything else continues. */
export interface BranchStop {
  readonly type: 'branch-stopped';
  readonly key: StepKey;
}

/** How long the clean-up of a cancelled or interrupted run, or of a stopped branch, may take. */
export const TIDY_UP_MS = 5 * 60_000;

/**
 * The signal for the clean-up at the end: a cancellation or interruption reaches it when the clean-up time is over, or the cancellation is
 * repeated; every other stop reaches it at once. The reason is the same.
 */
export function endSignalOf(stop: AbortSignal): {
  readonly signal: AbortSignal;
  endNow(): void;
  dispose(): void;
} {
  const end = new AbortController();
  // Every branch adds a listener, so many listeners are not a leak.
  setMaxListeners(0, end.signal);
  let timer: NodeJS.Timeout | undefined;
  const endNow = (): void => end.abort(stop.reason);
  const stopped = (): void => {
    const reason = stop.reason as Stop;
    if (!isStop(reason) || (reason.type !== 'cancelled' && reason.type !== 'interrupted')) {
      endNow();
      return;
    }
    const isRepeated = reason.type === 'cancelled' ? reason.endNow : undefined;
    if (isRepeated?.aborted === true) {
      endNow();
      return;
    }
    timer = setTimeout(endNow, TIDY_UP_MS);
    isRepeated?.addEventListener('abort', endNow, { once: true });
  };
  if (stop.aborted) stopped();
  else stop.addEventListener('abort', stopped, { once: true });
  return { signal: end.signal, endNow, dispose: () => clearTimeout(timer) };
}

export function isStop(problem: unknown): problem is Stop | BranchStop {
  return typeof problem === 'object' && problem !== null && 'type' in problem && !(problem instanceof Error);
}

export function isBranchStop(problem: unknown): problem is BranchStop {
  return isStop(problem) && problem.type === 'branch-stopped';
}

export function journalFailure(problem: JournalWriteError): Failure {
  return { type: 'file', operation: 'write', path: problem.path, code: problem.code };
}

export function fileFailure(operation: string, path: string, problem: unknown): Failure {
  return { type: 'file', operation, path, code: (problem as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
}
