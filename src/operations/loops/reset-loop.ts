import { parseMetadata } from '../../iterate/workspace/metadata.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { updateDocument } from '../../store/document.ts';
import { removeFile } from '../../store/remove-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';
import { takeWorkspace } from './site/take-workspace.ts';

/** Resets counters, status and the status file; keeps instructions, `TODO.md` and settings. */
export async function resetLoop(
  site: Site,
  asked: OfLoop,
): Promise<Result<{ readonly folder: string }, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { workspace } = opened.value;
  const lock = takeWorkspace(workspace);
  if (lock.type === 'error') return lock;
  try {
    const updated = await updateDocument(workspace.paths.metadata, parseMetadata, (metadata) => {
      const {
        stopReason: _reason,
        verification: _verification,
        run: _run,
        lastRun: _lastRun,
        ...kept
      } = metadata;
      return {
        ...kept,
        status: 'in_progress' as const,
        totalIterations: 0,
        setupIterations: 0,
        executionIterations: 0,
      };
    });
    if (updated.type === 'error') return error({ type: 'document-problem', problem: updated.error });
    removeFile(workspace.paths.status);
    return ok({ folder: workspace.paths.folder });
  } finally {
    lock.value.release();
  }
}
