import type { JournalEvent } from '../../model/event.ts';
import { decodeRecord } from '../../store/journal-format.ts';
import type { Rows } from './database.ts';

/** Rows of the journal after a record, in order. Throws if one of them is damaged: a database does not tear. */
export async function eventsAfter(rows: Rows, runId: string, seq = 0): Promise<readonly JournalEvent[]> {
  const found = await rows.query<{ readonly seq: number; readonly line: string }>(
    'select seq, line from orchestrate.events where run_id = $1 and seq > $2 order by seq',
    [runId, seq],
  );
  return found.rows.map(({ seq: number, line }) => {
    const bytes = Buffer.from(line);
    const record = decodeRecord(bytes, { start: 0, end: bytes.length });
    if (record?.event === undefined || record.seq !== number)
      throw new Error(`record ${number} of run \`${runId}\` in the database is damaged`);
    return record.event;
  });
}
