import fs from 'node:fs';
import { parseRunId, type RunId } from '../model/ids.ts';
import { runPaths } from '../store/layout.ts';
import { isHeld, readLock } from '../store/lock-file.ts';
import type { SessionFile } from './document/session-file.ts';

/** The run that last executed tasks of the session, where its files are still there. */
export function lastRun(workspace: string, file: SessionFile): RunId | undefined {
  const runId = parseRunId(file.run_id ?? '');
  return runId !== undefined && fs.existsSync(runPaths(workspace, runId).journal) ? runId : undefined;
}

/** The process that executes tasks of the session now. */
export function runningProcess(
  workspace: string,
  file: SessionFile,
): { readonly runId: RunId; readonly pid: number } | undefined {
  const runId = lastRun(workspace, file);
  const lock = runId === undefined ? undefined : readLock(runPaths(workspace, runId).lock);
  return runId !== undefined && lock !== undefined && isHeld(lock)
    ? { runId, pid: lock.owner.pid }
    : undefined;
}
