import { dirname } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../../store/safe-path.ts';

/** Replaces a file of the workspace, making the folders it stands in. */
export function writeInside(workspace: string, relative: string, text: string): Failure | undefined {
  const folder = makeFolderInside(workspace, relative.includes('/') ? dirname(relative) : '.');
  if (folder.type === 'error') return folder.error;
  const path = resolveInside(workspace, relative);
  if (path.type === 'error') return path.error;
  try {
    replaceFile(path.value, text, { mode: 0o644 });
    return undefined;
  } catch (cause) {
    return fileFailure('write', relative, cause);
  }
}
