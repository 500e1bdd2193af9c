import { parseState } from '../../engine/state-text.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import type { RunState, Totals } from '../../model/run-state.ts';
import { isMarked } from '../../store/journal-file.ts';
import type { RunPaths } from '../../store/layout.ts';
import { readPlainText } from '../../store/plain-file.ts';

/**
 * Reads `state.json` for lists. Undefined if it is missing, not as this version wrote it, or does not match the journal.
 */
export function readState(paths: Pick<RunPaths, 'state' | 'journal'>, runId: RunId): RunState | undefined {
  try {
    const read = parseState(readPlainText(paths.state));
    if (read === undefined) return undefined;
    const { state, journal } = read;
    const isState =
      state['run_id'] === runId &&
      typeof state['status'] === 'string' &&
      typeof state['kind'] === 'string' &&
      typeof state['title'] === 'string' &&
      !Number.isNaN(Date.parse(String(state['started_at']))) &&
      !Number.isNaN(Date.parse(String(state['updated_at']))) &&
      typeof state['duration_ms'] === 'number' &&
      isTotals(state['totals']);
    return isState && isMarked(paths.journal, journal) ? (state as unknown as RunState) : undefined;
  } catch {
    return undefined;
  }
}

function isTotals(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value['tokens'])) return false;
  const { tokens } = value;
  const counts = [...COUNTS.map((name) => value[name]), tokens['input'], tokens['output']];
  return counts.every((count) => typeof count === 'number');
}

const COUNTS: readonly (keyof Totals)[] = [
  'cost_usd',
  'agent_calls',
  'unknown_cost_calls',
  'unknown_token_calls',
  'steps_completed',
  'steps_failed',
  'steps_skipped',
];
