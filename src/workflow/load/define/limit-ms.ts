/** Converts a limit in seconds to whole milliseconds for a timer, at least 1. */
export function limitMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
