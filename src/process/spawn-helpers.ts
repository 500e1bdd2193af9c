/** The spawn helpers that a build may have made. */
import { join } from 'node:path';

export interface SpawnHelper {
  readonly program: string;
  readonly args: readonly string[];
  /** So many processes are started before it is worth its own start. */
  readonly worthAfter: number;
}

/** The best first. The native one is there only where the build found a compiler. */
export function spawnHelpersIn(dist: string): readonly SpawnHelper[] {
  return [
    { program: join(dist, `spawn-helper-${process.platform}-${process.arch}`), args: [], worthAfter: 4 },
    { program: process.execPath, args: [join(dist, 'spawn-helper.cjs')], worthAfter: 32 },
  ];
}
