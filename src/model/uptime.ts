/** A monotonic clock, in ms. The first `performance.now()` of a process loads the other measurements: 2 ms. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
