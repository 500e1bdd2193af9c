import fs from 'node:fs';
import type { Failure } from '../model/failure.ts';
import { error, type Result } from '../model/result.ts';
import { resolveInside } from '../store/safe-path.ts';

/** The real path of the folder a process runs in. `relative`: as declared; it must exist. */
export function workingFolder(root: string, relative: string): Result<string, Failure> {
  const resolved = resolveInside(root, relative);
  if (resolved.type === 'error') return resolved;
  const found = fs.statSync(resolved.value, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return resolved;
  const code = found === undefined ? 'ENOENT' : 'ENOTDIR';
  return error({ type: 'file', operation: 'work in', path: relative, code });
}
