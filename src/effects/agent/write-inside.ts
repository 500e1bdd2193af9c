import fs from 'node:fs';
import type { Failure } from '../../model/failure.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { atPlace } from '../../store/pin-inside.ts';

/** Replaces a file of the workspace and creates its parent folders. */
export function writeInside(
  workspace: string,
  relative: string,
  contents: string | Uint8Array,
): Failure | undefined {
  const done = atPlace(workspace, relative, {
    ...{ operation: 'write', makeFolders: true },
    use: (path) => replaceFile(path, contents, { mode: 0o644 }),
  });
  return done.type === 'error' ? done.error : undefined;
}

export function removeInside(workspace: string, relative: string): Failure | undefined {
  const done = atPlace(workspace, relative, {
    operation: 'remove',
    use: (path) => fs.rmSync(path, { force: true }),
  });
  // In a missing folder there is nothing to remove.
  if (done.type === 'ok' || (done.error.type === 'file' && done.error.code === 'ENOENT')) return undefined;
  return done.error;
}
