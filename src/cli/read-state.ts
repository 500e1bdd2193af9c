import type { RunId } from '../model/ids.ts';
import { isJsonObject, parseJson } from '../model/json.ts';
import type { RunState } from '../model/run-state.ts';
import { readPlainText } from '../store/plain-file.ts';

/** The view of a run, for lists; undefined where it is not there, or not as this version writes it. */
export function readState(path: string, runId: RunId): RunState | undefined {
  try {
    const state: unknown = parseJson(readPlainText(path));
    const isState =
      isJsonObject(state) &&
      state['run_id'] === runId &&
      typeof state['status'] === 'string' &&
      typeof state['kind'] === 'string' &&
      typeof state['title'] === 'string' &&
      !Number.isNaN(Date.parse(String(state['started_at']))) &&
      !Number.isNaN(Date.parse(String(state['updated_at']))) &&
      typeof state['duration_ms'] === 'number' &&
      isJsonObject(state['totals']) &&
      typeof state['totals']['steps_failed'] === 'number';
    return isState ? (state as unknown as RunState) : undefined;
  } catch {
    return undefined;
  }
}
