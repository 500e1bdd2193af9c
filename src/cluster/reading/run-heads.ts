import type { Rows } from '../../engine/dbos/database.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import type { TurnState } from '../runs.ts';

/** How a run stands in the database. */
export interface RunHead {
  readonly runId: RunId;
  readonly state: TurnState;
  readonly turn: number;
  /** Number of records in its journal. */
  readonly records: number;
  /** The process of the worker that hosts it. */
  readonly host?: { readonly pid: number; readonly machine: string };
}

interface HeadRow {
  readonly run_id: string;
  readonly state: TurnState;
  readonly turn: number;
  readonly records: number;
  readonly pid: number | null;
  readonly machine: string | null;
}

/** Reads one run, or all of them. A database that no worker has used yet has none. */
export async function readHeads(rows: Rows, runId?: RunId): Promise<readonly RunHead[]> {
  try {
    const found = await rows.query<HeadRow>(
      `select run_id, state, turn, pid, machine,
         coalesce((select max(seq) from orchestrate.events e where e.run_id = r.run_id), 0) as records
       from orchestrate.runs r left join orchestrate.workers on executor = host and state = 'live'
       where $1::text is null or run_id = $1`,
      [runId ?? null],
    );
    return found.rows.flatMap(headOf);
  } catch (problem) {
    if (isMissingTable(problem)) return [];
    throw problem;
  }
}

function headOf({ run_id, state, turn, records, pid, machine }: HeadRow): readonly RunHead[] {
  const runId = parseRunId(run_id);
  if (runId === undefined) return [];
  const host = pid === null || machine === null ? {} : { host: { pid, machine } };
  return [{ runId, state, turn, records, ...host }];
}

function isMissingTable(problem: unknown): boolean {
  const code = problem instanceof Error ? (problem as { readonly code?: unknown }).code : undefined;
  return code === '42P01' || code === '3F000';
}
