import { setMaxListeners } from 'node:events';
import type { StepKey } from '../model/ids.ts';
import { type BranchStop, TIDY_UP_MS } from './run-stop.ts';

/** The signals of one branch: they follow those around it, and the branch can be stopped alone. */
export interface BranchSignals {
  readonly signal: AbortSignal;
  /** For the calls of `atEnd`: a stop of the branch reaches them when the clean-up time is over. */
  readonly end: AbortSignal;
  stop(): void;
  /** The branch has ended. */
  release(): void;
}

export function createBranchSignals(
  key: StepKey,
  around: { readonly signal: AbortSignal; readonly end: AbortSignal },
): BranchSignals {
  const signal = following(around.signal);
  const end = following(around.end);
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  return {
    signal: signal.controller.signal,
    end: end.controller.signal,
    stop() {
      const reason: BranchStop = { type: 'branch-stopped', key };
      signal.controller.abort(reason);
      // A branch may end just before it is stopped: a timer would keep the process alive.
      if (hasEnded) return;
      timer ??= setTimeout(() => end.controller.abort(reason), TIDY_UP_MS);
    },
    release() {
      hasEnded = true;
      clearTimeout(timer);
      signal.release();
      end.release();
    },
  };
}

/** Not `AbortSignal.any`: in Node 20 its result lives as long as the signal it follows. */
function following(source: AbortSignal): {
  readonly controller: AbortController;
  readonly release: () => void;
} {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const pass = (): void => controller.abort(source.reason);
  if (source.aborted) pass();
  else source.addEventListener('abort', pass, { once: true });
  return { controller, release: () => source.removeEventListener('abort', pass) };
}
