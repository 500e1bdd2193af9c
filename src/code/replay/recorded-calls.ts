import { recordedIn } from '../../engine/recorded.ts';
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';

/** The calls of every scope, in the order in which they were made; outer scopes first. */
export type RecordedCalls = ReadonlyMap<string, readonly StepKey[]>;

export function recordedCalls(events: readonly JournalEvent[]): RecordedCalls {
  const { steps, times, answers, sleeps, asked } = recordedIn(events);
  const isKept = (key: StepKey): boolean =>
    [steps, times, answers, sleeps, asked].some((kept) => kept.has(key));
  // A call that was repeated stands where it ended last: a resumed run may have taken another path.
  const last = new Map<StepKey, number>();
  for (const [index, event] of events.entries()) {
    if (!('key' in event) || !MADE.has(event.type) || !isKept(event.key)) continue;
    if (event.type === 'step-ended' && event.effect === 'note') continue;
    last.set(ownerOf(event.key), index);
  }
  const scopes = new Map<string, StepKey[]>();
  for (const [key] of [...last].sort(([, one], [, other]) => one - other)) {
    const scope = key.slice(0, Math.max(0, key.lastIndexOf('/')));
    scopes.set(scope, [...(scopes.get(scope) ?? []), key]);
  }
  return new Map([...scopes].sort(([one], [other]) => one.split('/').length - other.split('/').length));
}

const MADE: ReadonlySet<JournalEvent['type']> = new Set([
  'step-ended',
  'time-read',
  'question-asked',
  'question-answered',
  'sleep-started',
  'sleep-ended',
]);
