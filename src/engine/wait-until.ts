import { uptimeMs } from '../model/uptime.ts';

/** The longest single timer: after it the wall clock is read again, so a suspended machine or a changed clock is noticed. */
const SLICE_MS = 30_000;

export interface Wait {
  /** By the wall clock, in ms. */
  readonly at: number;
  /** The length of a pause: it ends after this time even if the wall clock was set back meanwhile. */
  readonly longestMs?: number;
}

/** The wait between two recorded times. */
export function pauseOf(since: string, until: string): Wait {
  const at = Date.parse(until);
  return { at, longestMs: Math.max(0, at - Date.parse(since)) };
}

/** The same wait, ended after this time at the latest. */
export function shortened(wait: Wait, leftMs: number | undefined): Wait {
  if (leftMs === undefined) return wait;
  return {
    at: Math.min(wait.at, Date.now() + leftMs),
    longestMs: Math.min(leftMs, wait.longestMs ?? Number.POSITIVE_INFINITY),
  };
}

/** Resolves when the wall clock has reached `at`; rejects with the signal's reason when it is aborted first. */
export function waitUntil(
  { at, longestMs = Number.POSITIVE_INFINITY }: Wait,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const endsAt = uptimeMs() + longestMs;
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const look = () => {
      const left = Math.min(at - Date.now(), endsAt - uptimeMs());
      if (left > 0) {
        timer = setTimeout(look, Math.min(left, SLICE_MS));
        return;
      }
      signal.removeEventListener('abort', stop);
      resolve();
    };
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    look();
  });
}
