import type { JournalEvent } from '../model/event.ts';
import { ownerOf } from '../model/ids.ts';

/**
 * The part of a run that a fork shares with it: everything recorded before `step` was first begun. Undefined when the run never
 * came to that step.
 */
export function sharedBefore(
  events: readonly JournalEvent[],
  step: string,
): readonly JournalEvent[] | undefined {
  const cut = events.findIndex((event) => 'key' in event && isPartOf(ownerOf(event.key), step));
  if (cut === -1) return undefined;
  return events.slice(0, cut).filter((event) => SHARED.has(event.type));
}

/** Answers. What was only under way, asked or tried is the other run's own. */
const SHARED: ReadonlySet<JournalEvent['type']> = new Set([
  'step-ended',
  'time-read',
  'question-answered',
  'sleep-started',
  'sleep-ended',
]);

/** `Loop` stands for all that happens in it; a name stands for the step wherever it is, `Loop/2/Fix` for that one. */
function isPartOf(key: string, step: string): boolean {
  if (step.includes('/') || step.includes('#')) return key === step || key.startsWith(`${step}/`);
  return key.split('/').some((segment) => segment.replace(/#\d+$/, '') === step);
}
