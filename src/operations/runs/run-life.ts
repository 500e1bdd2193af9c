import type { RunPaths } from '../../store/layout.ts';
import { isHeld, readLock } from '../../store/lock-file.ts';

/** Whether the process that owns it is alive, or may be alive on another machine. */
export function isRunAlive({ lock: path }: Pick<RunPaths, 'lock'>): boolean {
  const lock = readLock(path);
  return lock !== undefined && isHeld(lock);
}
