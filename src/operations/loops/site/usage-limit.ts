import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import { firstLimit } from '../../../model/open-limits.ts';
import type { LimitState } from '../../../model/run-state.ts';
import { runPaths } from '../../../store/layout.ts';
import { lookAtRun } from '../../runs/list-runs.ts';
import { isRunAlive } from '../../runs/run-life.ts';
import type { Site } from '../../site.ts';

/** The usage limit that a workspace's loop is waiting for. */
export function usageLimitOf({ workspace }: Site, metadata: Metadata): LimitState | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined) return undefined;
  if (!isRunAlive(runPaths(workspace, runId))) return undefined;
  const run = lookAtRun(workspace, runId);
  return run.type === 'run' ? firstLimit(run.state) : undefined;
}
