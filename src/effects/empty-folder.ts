import fs from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { fileFailure, resolveInside } from '../store/safe-path.ts';
import type { EmptyFolderInput } from './contracts.ts';

/** Takes everything out of a folder of the workspace. Links in it are removed, never followed. */
export const emptyFolder: Effect<EmptyFolderInput, EffectOutput> = async ({ folder }, { run }) => {
  const path = resolveInside(run.workspace, folder);
  if (path.type === 'error') return { failure: path.error };
  if (path.value === run.workspace) {
    return { failure: { type: 'unsafe-path', path: folder, reason: 'is the workspace itself' } };
  }
  try {
    for (const name of fs.existsSync(path.value) ? fs.readdirSync(path.value) : []) {
      fs.rmSync(join(path.value, name), { recursive: true, force: true });
    }
    return {};
  } catch (problem) {
    return { failure: fileFailure('empty', folder, problem) };
  }
};
