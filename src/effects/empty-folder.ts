import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { pinFolderInside } from '../store/pin-inside.ts';
import { emptyPinned } from '../store/pinned-folder.ts';
import { fileFailure } from '../store/safe-path.ts';
import type { EmptyFolderInput } from './contracts.ts';

/** Removes everything in a folder of the workspace. Links in it are removed, never followed. */
export const emptyFolder: Effect<EmptyFolderInput, EffectOutput> = async ({ folder }, { run }) => {
  const pinned = pinFolderInside(run.workspace, folder, { operation: 'empty' });
  if (pinned.type === 'error') {
    const isMissing = pinned.error.type === 'file' && pinned.error.code === 'ENOENT';
    return isMissing ? {} : { failure: pinned.error };
  }
  try {
    if (pinned.value.real === run.workspace) {
      return { failure: { type: 'unsafe-path', path: folder, reason: 'is the workspace itself' } };
    }
    emptyPinned(pinned.value.path);
    return {};
  } catch (cause) {
    return { failure: fileFailure('empty', folder, cause) };
  } finally {
    pinned.value.close();
  }
};
