import type { JournalEvent } from '../model/event.ts';
import { ownerOf } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import type { Note } from './note.ts';
import { recordOf } from './record-of.ts';

/** The last record of every step at the top level of a run, by its name. */
export function recordsIn(events: readonly JournalEvent[]): { readonly [name: string]: StepRecord } {
  const records: { [name: string]: StepRecord } = Object.create(null);
  for (const event of events) {
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const owner = ownerOf(event.key);
    if (owner.includes('/')) continue;
    const name = owner.replace(/#\d+$/, '');
    if (event.effect === 'note') {
      const note = event.output['note'] as unknown as Note;
      if (note.type === 'record') records[name] = { ...records[name], ...note.record } as StepRecord;
    } else if (typeof event.output['exitCode'] === 'number') {
      records[name] = recordOf({
        output: event.output as unknown as StepRecord,
        attempts: event.attempts,
        startedAt: event.startedAt,
        endedAt: event.at,
        durationMs: event.durationMs,
      });
    }
  }
  return records;
}
