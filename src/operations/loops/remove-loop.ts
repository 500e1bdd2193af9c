/**
 * Removes a workspace, by default only after a complete archive of it exists. The metadata may be damaged: a workspace that cannot be used for
 * anything else can still be removed.
 */
import { type Archive, saveArchive } from '../../iterate/archive/archives.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findWorkspace } from './site/find-loop.ts';
import { type OfLoop, openLoops } from './site/loops.ts';
import { takeWorkspace } from './site/take-workspace.ts';

export interface RemoveLoop extends OfLoop {
  /** False: remove it without an archive. */
  readonly archives?: boolean | undefined;
}

export interface LoopRemoved {
  readonly archive?: Archive;
}

/** Whether there is a workspace to remove. */
export function findLoop(site: Site, asked: OfLoop): Result<{ readonly folder: string }, Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const found = findWorkspace(loops.value, asked.name);
  return found.type === 'ok' ? ok({ folder: found.value.paths.folder }) : found;
}

export async function removeLoop(site: Site, asked: RemoveLoop): Promise<Result<LoopRemoved, Problem>> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const found = findWorkspace(loops.value, asked.name);
  if (found.type === 'error') return found;
  const { folder } = found.value.paths;
  const lock = takeWorkspace(found.value);
  if (lock.type === 'error') return lock;
  try {
    if (asked.archives === false) {
      removeFolder(folder);
      return ok({});
    }
    const archiveDir = loops.value.config.folder('archiveDir');
    const saved = await saveArchive(archiveDir, { name: asked.name, folder }, site.now());
    if (saved.type === 'error') return error({ type: 'loop-not-removed', reason: saved.error });
    removeFolder(folder);
    return ok({ archive: saved.value });
  } finally {
    lock.value.release();
  }
}
