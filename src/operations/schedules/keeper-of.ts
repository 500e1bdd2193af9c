import { keeperPaths } from '../../store/layout.ts';
import { heldBy } from '../../store/lock.ts';
import type { Site } from '../site.ts';

/** The process that keeps this workspace. */
export function keeperOf({ workspace }: Pick<Site, 'workspace'>): number | undefined {
  return heldBy(keeperPaths(workspace).lock)?.owner.pid;
}
