/** Paths that tasks name: which file they mean, whether they are concrete, and whether two tasks may work side by side. */
import { withoutTrailing } from '../../model/trailing.ts';
import { expandBraces } from '../../store/expand-braces.ts';
import { checkRelativePath } from '../../store/safe-path.ts';
import type { Task } from './task.ts';

/** `src/auth/login.ts:handleLogin:75-120` → `src/auth/login.ts`. */
export function fileOfTarget(target: string): string {
  return target.split(':', 1)[0] ?? '';
}

/** Why it is not a concrete path of the project, written from its root; nothing where it is one. */
export function whyNotConcrete(path: string): string | undefined {
  if (path.trim() !== path || path === '') return 'is empty or begins or ends with a space';
  if (/[*?]/.test(path) || !isOne(path)) return 'holds a wildcard; name folders and files themselves';
  if (path.startsWith('./')) return `begins with \`./\`; write \`${path.replace(/^(?:\.\/)+/, '')}\``;
  const checked = checkRelativePath(path);
  if (checked.type === 'ok') return undefined;
  return checked.error.type === 'unsafe-path' ? checked.error.reason : 'is not a path';
}

function isOne(path: string): boolean {
  const alternatives = expandBraces(path);
  return alternatives.type === 'ok' && alternatives.value.length === 1;
}

/** Everything the task says it works on. */
export function pathsOf(task: Pick<Task, 'focusPaths' | 'targetFiles'>): readonly string[] {
  const named = [...task.focusPaths, ...task.targetFiles.map(fileOfTarget)];
  return [...new Set(named.map((path) => withoutTrailing(path, '/')).filter((path) => path !== ''))];
}

/** One of the two names a path that is in the other's, or one of them does not say what it works on. */
export function mayCollide(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  return a.some((one) => b.some((other) => isWithin(one, other) || isWithin(other, one)));
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '.' || path.startsWith(`${folder}/`);
}
