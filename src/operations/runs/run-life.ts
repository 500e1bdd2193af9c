import type { RunPaths } from '../../store/layout.ts';
import { isHeld, readLock } from '../../store/lock-file.ts';

/** Whether a process owns it that lives, or may live on another machine. */
export function isRunAlive({ lock: path }: Pick<RunPaths, 'lock'>): boolean {
  const lock = readLock(path);
  return lock !== undefined && isHeld(lock);
}
