import fs from 'node:fs';
import type { RunId } from '../model/ids.ts';
import type { RunState } from '../model/run-state.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { runPaths } from '../store/layout.ts';
import { acquireLock } from '../store/lock.ts';
import { renderState } from './state-file.ts';

/**
 * Brings `state.json` of a run that nobody runs to what its journal says: its process may have been killed between the last record
 * and the view of it.
 */
export function refreshState(workspace: string, runId: RunId, state: RunState): void {
  const paths = runPaths(workspace, runId);
  const text = renderState(state);
  if (fs.existsSync(paths.state) && fs.readFileSync(paths.state, 'utf8') === text) return;
  const lock = acquireLock(paths.lock);
  if (lock.type === 'error') return;
  try {
    replaceFile(paths.state, text, { mode: 0o600 });
  } finally {
    lock.value.release();
  }
}
