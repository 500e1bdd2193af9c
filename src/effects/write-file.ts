import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { atPlace } from '../store/pin-inside.ts';
import type { WriteFileInput } from './contracts.ts';

/** Puts a whole file into the workspace, its folder too; there is the old one or the new one, never a part. */
export const writeFile: Effect<WriteFileInput, EffectOutput> = async (
  { root, path, text, mode },
  { run },
) => {
  const done = atPlace(root ?? run.workspace, path, {
    ...{ operation: 'write', makeFolders: true },
    use: (file) => replaceFile(file, text, { mode: mode ?? 0o644 }),
  });
  return done.type === 'error' ? { failure: done.error } : {};
};
