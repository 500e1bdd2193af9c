/** A limit in seconds, for a timer: whole, and never none. */
export function limitMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
