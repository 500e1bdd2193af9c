import os from 'node:os';

/** On a machine with other work, everything takes longer: how many processes want each core, at least 1. */
export function crowding(): number {
  return Math.max(1, (os.loadavg()[0] ?? 1) / os.availableParallelism());
}
