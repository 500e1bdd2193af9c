import { parseMetadata } from '../../iterate/workspace/metadata.ts';
import { problemText } from '../../iterate/workspace/problem-text.ts';
import { updateDocument } from '../../store/document.ts';
import { removeFile } from '../../store/remove-file.ts';
import { type IterateSite, openWorkspace, refuse } from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';

/** Counters, status and status file; instructions, list and settings stay. */
export async function reset(site: IterateSite, name: string): Promise<void> {
  const { context } = site;
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
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
    if (updated.type === 'error') return refuse(context, problemText(updated.error));
    removeFile(workspace.paths.status);
  } finally {
    lock.release();
  }
  context.out(`✓ Workspace reset: ${name}\n`);
}
