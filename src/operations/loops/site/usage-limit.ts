import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import { firstLimit } from '../../../model/open-limits.ts';
import type { LimitState } from '../../../model/run-state.ts';
import { runPaths } from '../../../store/layout.ts';
import { lookAtRun } from '../../runs/list-runs.ts';
import { isRunAlive } from '../../runs/run-life.ts';
import { folderSource } from '../../runs/run-source.ts';
import type { Site } from '../../site.ts';

export function isLoopRunning({ workspace }: Site, { run }: Metadata): boolean {
  const runId = parseRunId(run?.id ?? '');
  return runId !== undefined && isRunAlive(runPaths(workspace, runId));
}

/** The usage limit that a workspace's loop is waiting for. */
export function usageLimitOf(site: Site, metadata: Metadata): LimitState | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined || !isLoopRunning(site, metadata)) return undefined;
  const run = lookAtRun(folderSource(site.workspace), runId);
  return run.type === 'run' ? firstLimit(run.state) : undefined;
}
