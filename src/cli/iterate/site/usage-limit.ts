import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import type { LimitState } from '../../../model/run-state.ts';
import { firstLimit } from '../../../report/text/limit.ts';
import { runPaths } from '../../../store/layout.ts';
import type { CliContext } from '../../context.ts';
import { isRunAlive } from '../../inspect-run.ts';
import { readState } from '../../read-state.ts';

/** The usage limit that a workspace's loop waits for just now. */
export function usageLimitOf(context: CliContext, metadata: Metadata): LimitState | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined) return undefined;
  const paths = runPaths(context.workspace, runId);
  const state = isRunAlive(paths) ? readState(paths.state, runId) : undefined;
  return state === undefined ? undefined : firstLimit(state);
}
