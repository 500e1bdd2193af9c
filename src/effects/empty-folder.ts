import fs from 'node:fs';
import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { EmptyFolderInput } from './contracts.ts';
import { emptyPinned, inPinnedFolder } from './pinned-folder.ts';

/** Takes everything out of a folder of the workspace. Links in it are removed, never followed. */
export const emptyFolder: Effect<EmptyFolderInput, EffectOutput> = async ({ folder }, { run }) => {
  const path = resolveInside(run.workspace, folder);
  if (path.type === 'error') return { failure: path.error };
  if (path.value === run.workspace) {
    return { failure: { type: 'unsafe-path', path: folder, reason: 'is the workspace itself' } };
  }
  if (!fs.existsSync(path.value)) return {};
  const done = inPinnedFolder({
    ...{ root: run.workspace, folder: path.value, shown: folder, operation: 'empty' },
    use: emptyPinned,
  });
  return done.type === 'error' ? { failure: done.error } : {};
};
