import type { JournalEvent } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';

/** What a run was started with, or what a change of that was last accepted. Undefined: it was killed before it began. */
export function lastInput(events: readonly JournalEvent[]): JsonValue | undefined {
  const last = events.findLast(
    (event) => event.type === 'run-started' || (event.type === 'run-resumed' && event.input !== undefined),
  );
  return last?.type === 'run-started' || last?.type === 'run-resumed' ? last.input : undefined;
}
