import { dirname } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../store/safe-path.ts';
import type { WriteFileInput } from './contracts.ts';

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
  try {
    replaceFile(target.value, text, { mode: mode ?? 0o644 });
    return {};
  } catch (problem) {
    return { failure: fileFailure('write', path, problem) };
  }
};
