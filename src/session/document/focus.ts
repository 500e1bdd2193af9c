/** Paths in tasks: the file meant, and whether two tasks may run in parallel. */
import { withoutTrailing } from '../../model/trailing.ts';
import { concretePaths } from './paths.ts';
import type { Task } from './task.ts';

/** `src/auth/login.ts:handleLogin:75-120` → `src/auth/login.ts`. */
export function fileOfTarget(target: string): string {
  return target.split(':', 1)[0] ?? '';
}

/** All paths the task declares that it works on. */
export function pathsOf(task: Pick<Task, 'focusPaths' | 'targetFiles'>): readonly string[] {
  const named = [...task.focusPaths, ...concretePaths(task.targetFiles.map(fileOfTarget))];
  return [...new Set(named.map((path) => withoutTrailing(path, '/')).filter((path) => path !== ''))];
}

/** True if a path of one task is inside a path of the other, or if one of them declares no paths. */
export function mayCollide(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  return a.some((one) => b.some((other) => isWithin(one, other) || isWithin(other, one)));
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '.' || path.startsWith(`${folder}/`);
}
