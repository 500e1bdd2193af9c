import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../../store/safe-path.ts';

/** Replaces a file of the workspace, making the folders it stands in. */
export function writeInside(
  workspace: string,
  relative: string,
  contents: string | Uint8Array,
): Failure | undefined {
  const folder = makeFolderInside(workspace, relative.includes('/') ? dirname(relative) : '.');
  if (folder.type === 'error') return folder.error;
  const path = resolveInside(workspace, relative);
  if (path.type === 'error') return path.error;
  try {
    replaceFile(path.value, contents, { mode: 0o644 });
    return undefined;
  } catch (cause) {
    return fileFailure('write', relative, cause);
  }
}

export function removeInside(workspace: string, relative: string): Failure | undefined {
  const path = resolveInside(workspace, relative);
  if (path.type === 'error') return path.error;
  try {
    fs.rmSync(path.value, { force: true });
    return undefined;
  } catch (cause) {
    return fileFailure('remove', relative, cause);
  }
}
