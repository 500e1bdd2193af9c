import { basename, dirname, join } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { makeFolderInside, resolveInside } from '../store/safe-path.ts';
import type { WriteFileInput } from './contracts.ts';
import { inPinnedFolder } from './pinned-folder.ts';

/** Puts a whole file into the workspace, its folder too; there is the old one or the new one, never a part. */
export const writeFile: Effect<WriteFileInput, EffectOutput> = async (
  { root, path, text, mode },
  { run },
) => {
  const base = root ?? run.workspace;
  const folder = makeFolderInside(base, dirname(path));
  if (folder.type === 'error') return { failure: folder.error };
  const target = resolveInside(base, path);
  if (target.type === 'error') return { failure: target.error };
  const done = inPinnedFolder({
    ...{ root: base, folder: dirname(target.value), shown: path, operation: 'write' },
    use: (pinned) => replaceFile(join(pinned, basename(target.value)), text, { mode: mode ?? 0o644 }),
  });
  return done.type === 'error' ? { failure: done.error } : {};
};
