/** A clock that is never set, in ms. The first `performance.now()` of a process loads what else can be measured: 2 ms. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
