/** The spawn helpers that a build may contain. */
import { join } from 'node:path';

export interface SpawnHelper {
  readonly program: string;
  readonly args: readonly string[];
  /** Number of processes to start directly before the helper pays off. */
  readonly worthAfter: number;
}

/** Best first. The native one exists only if the build found a compiler. */
export function spawnHelpersIn(dist: string): readonly SpawnHelper[] {
  return [
    { program: join(dist, `spawn-helper-${process.platform}-${process.arch}`), args: [], worthAfter: 4 },
    { program: process.execPath, args: [join(dist, 'spawn-helper.cjs')], worthAfter: 32 },
  ];
}
