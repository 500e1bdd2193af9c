import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import type { LimitState } from '../../../model/run-state.ts';
import { lookAtRun } from '../../../operations/runs/list-runs.ts';
import { isRunAlive } from '../../../operations/runs/run-life.ts';
import { firstLimit } from '../../../report/text/limit.ts';
import { runPaths } from '../../../store/layout.ts';
import type { CliContext } from '../../context.ts';

/** The usage limit that a workspace's loop waits for just now. */
export function usageLimitOf(context: CliContext, metadata: Metadata): LimitState | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined) return undefined;
  if (!isRunAlive(runPaths(context.workspace, runId))) return undefined;
  const run = lookAtRun(context.workspace, runId);
  return run.type === 'run' ? firstLimit(run.state) : undefined;
}
