import { recordedIn } from '../../engine/recorded.ts';
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';

export interface RecordedCalls {
  /** The calls of every scope, in the order in which they were made; outer scopes first. */
  readonly scopes: ReadonlyMap<string, readonly StepKey[]>;
  /** Those that were recorded until then, and are in no scope. */
  readonly accepted: ReadonlySet<StepKey>;
}

export function recordedCalls(events: readonly JournalEvent[], acceptedAt = ''): RecordedCalls {
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
  const accepted = new Set<StepKey>();
  for (const [key, index] of [...last].sort(([, one], [, other]) => one - other)) {
    if ((events[index]?.at ?? '') <= acceptedAt) {
      accepted.add(key);
      continue;
    }
    const scope = key.slice(0, Math.max(0, key.lastIndexOf('/')));
    scopes.set(scope, [...(scopes.get(scope) ?? []), key]);
  }
  const outerFirst = [...scopes].sort(([one], [other]) => one.split('/').length - other.split('/').length);
  return { scopes: new Map(outerFirst), accepted };
}

const MADE: ReadonlySet<JournalEvent['type']> = new Set([
  'step-ended',
  'time-read',
  'question-asked',
  'question-answered',
  'sleep-started',
  'sleep-ended',
]);
