import type { JournalEvent } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';

/** The input a run started with, or the last accepted change of it. Undefined: it was killed before it started. */
export function lastInput(events: readonly JournalEvent[]): JsonValue | undefined {
  const last = events.findLast(
    (event) => event.type === 'run-started' || (event.type === 'run-resumed' && event.input !== undefined),
  );
  return last?.type === 'run-started' || last?.type === 'run-resumed' ? last.input : undefined;
}
