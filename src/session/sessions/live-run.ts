import fs from 'node:fs';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { runPaths } from '../../store/layout.ts';
import { type Held, heldBy } from '../../store/lock.ts';
import type { SessionFile } from '../document/session-file.ts';

/** The last run that executed tasks of the session, if its files still exist. */
export function lastRun(workspace: string, file: SessionFile): RunId | undefined {
  const runId = parseRunId(file.run_id ?? '');
  return runId !== undefined && fs.existsSync(runPaths(workspace, runId).journal) ? runId : undefined;
}

/** The process that is executing tasks of the session. */
export function runningProcess(
  workspace: string,
  file: SessionFile,
): { readonly runId: RunId; readonly held: Held } | undefined {
  const runId = lastRun(workspace, file);
  const held = runId === undefined ? undefined : heldBy(runPaths(workspace, runId).lock);
  return runId === undefined || held === undefined ? undefined : { runId, held };
}
