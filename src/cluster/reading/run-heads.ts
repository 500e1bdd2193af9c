import type { Rows } from '../../engine/dbos/database.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
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

/** What the journal of a run will start with. Undefined if it cannot: the run is not new, or gone. */
export async function readQueued(rows: Rows, runId: RunId): Promise<JournalEvent | undefined> {
  const found = await rows.query<{ readonly plan: string; readonly created_at: Date }>(
    'select plan, created_at from orchestrate.runs where run_id = $1',
    [runId],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const { kind, title, workspace, begin } = JSON.parse(row.plan) as RunPlan;
  if (begin.type !== 'new') return undefined;
  const { program, input, facts } = begin;
  return {
    type: 'run-started',
    at: row.created_at.toISOString(),
    ...{ runId, kind, title, program, input, workspace },
    facts: { ...facts, queued: true },
  };
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
