import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { makeFolderInside, resolveInside } from '../../store/safe-path.ts';
import { inPinnedFolder } from '../pinned-folder.ts';

/** Replaces a file of the workspace, making the folders it stands in. */
export function writeInside(
  workspace: string,
  relative: string,
  contents: string | Uint8Array,
): Failure | undefined {
  const folder = makeFolderInside(workspace, relative.includes('/') ? dirname(relative) : '.');
  if (folder.type === 'error') return folder.error;
  return atFile(workspace, relative, {
    operation: 'write',
    act: (path) => replaceFile(path, contents, { mode: 0o644 }),
  });
}

export function removeInside(workspace: string, relative: string): Failure | undefined {
  return atFile(workspace, relative, {
    operation: 'remove',
    act: (path) => fs.rmSync(path, { force: true }),
  });
}

function atFile(
  workspace: string,
  relative: string,
  wanted: { readonly operation: string; act(path: string): void },
): Failure | undefined {
  const path = resolveInside(workspace, relative);
  if (path.type === 'error') return path.error;
  // In a folder that is not there, there is nothing to remove; for a file to be written it has been made.
  if (!fs.existsSync(dirname(path.value))) return undefined;
  const done = inPinnedFolder({
    ...{ root: workspace, folder: dirname(path.value), shown: relative, operation: wanted.operation },
    use: (folder) => wanted.act(join(folder, basename(path.value))),
  });
  return done.type === 'error' ? done.error : undefined;
}
