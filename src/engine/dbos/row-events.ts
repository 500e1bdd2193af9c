import type { JournalEvent } from '../../model/event.ts';
import { decodeRecord } from '../../store/journal-format.ts';
import type { Rows } from './database.ts';

export interface RowLine {
  readonly seq: number;
  /** A line of `journal.jsonl`, without its end. */
  readonly line: string;
}

/** Rows of the journal after a record, in order; at most so many. */
export async function linesAfter(
  rows: Rows,
  runId: string,
  { seq, most }: { readonly seq: number; readonly most?: number },
): Promise<readonly RowLine[]> {
  const found = await rows.query<RowLine>(
    'select seq, line from orchestrate.events where run_id = $1 and seq > $2 order by seq limit $3',
    [runId, seq, most ?? null],
  );
  return found.rows;
}

/** Throws if one of them is damaged: a database does not tear. */
export async function eventsAfter(rows: Rows, runId: string, seq = 0): Promise<readonly JournalEvent[]> {
  return (await linesAfter(rows, runId, { seq })).map(({ seq: number, line }) => {
    const bytes = Buffer.from(line);
    const record = decodeRecord(bytes, { start: 0, end: bytes.length });
    if (record?.event === undefined || record.seq !== number)
      throw new Error(`record ${number} of run \`${runId}\` in the database is damaged`);
    return record.event;
  });
}
