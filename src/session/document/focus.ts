/** Paths in tasks: the file meant, whether it is concrete, and whether two tasks may run in parallel. */
import { withoutTrailing } from '../../model/trailing.ts';
import { expandBraces } from '../../store/expand-braces.ts';
import { checkRelativePath } from '../../store/safe-path.ts';
import type { Task } from './task.ts';

/** `src/auth/login.ts:handleLogin:75-120` → `src/auth/login.ts`. */
export function fileOfTarget(target: string): string {
  return target.split(':', 1)[0] ?? '';
}

/** Why it is not a concrete path from the project's root; undefined if it is one. */
export function whyNotConcrete(path: string): string | undefined {
  if (path.trim() !== path || path === '') return 'is empty or starts or ends with a space';
  if (/[*?]/.test(path) || !isOne(path)) return 'contains a wildcard; list the folders and files instead';
  if (path.startsWith('./')) return `starts with \`./\`; write \`${path.replace(/^(?:\.\/)+/, '')}\``;
  const checked = checkRelativePath(path);
  if (checked.type === 'ok') return undefined;
  return checked.error.type === 'unsafe-path' ? checked.error.reason : 'is not a path';
}

function isOne(path: string): boolean {
  const alternatives = expandBraces(path);
  return alternatives.type === 'ok' && alternatives.value.length === 1;
}

/** All paths the task declares that it works on. */
export function pathsOf(task: Pick<Task, 'focusPaths' | 'targetFiles'>): readonly string[] {
  const named = [...task.focusPaths, ...task.targetFiles.map(fileOfTarget)];
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
