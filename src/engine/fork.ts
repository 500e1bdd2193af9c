import type { JournalEvent } from '../model/event.ts';
import { ownerOf } from '../model/ids.ts';
import { recordedIn } from './recorded.ts';

/**
 * The part of a run that a fork shares with it: everything recorded before `step` first started. Undefined if the run never
 * reached that step.
 */
export function sharedBefore(
  events: readonly JournalEvent[],
  step: string,
): readonly JournalEvent[] | undefined {
  const cut = events.findIndex((event) => 'key' in event && isPartOf(ownerOf(event.key), step));
  if (cut === -1) return undefined;
  const before = events.slice(0, cut);
  const { steps, times, answers, sleeps, ends, stopped } = recordedIn(before);
  const lastEnds = new Map(before.map((event) => [event.type === 'step-ended' ? event.key : '', event]));
  // What a resume forgot stays forgotten; of repeated calls, the last one is shared.
  return before.filter((event) => {
    if (!('key' in event) || !SHARED.has(event.type) || event.atStop === true) return false;
    if (event.type === 'step-ended') return steps.has(event.key) && lastEnds.get(event.key) === event;
    if (event.type === 'time-read') return times.get(event.key) === event.at;
    if (event.type === 'branch-ended') return ends.has(event.key);
    if (event.type === 'branch-stopped') return stopped.has(event.key);
    return event.type === 'question-answered' ? answers.has(event.key) : sleeps.has(event.key);
  });
}

/** Completed calls. Unfinished work, questions and attempts belong to the other run alone. */
const SHARED: ReadonlySet<JournalEvent['type']> = new Set([
  'step-ended',
  'time-read',
  'question-answered',
  'sleep-started',
  'sleep-ended',
  'branch-ended',
  'branch-stopped',
]);

/** `Loop` covers everything inside it; a plain name matches the step anywhere, `Loop/2/Fix` only that one. */
function isPartOf(key: string, step: string): boolean {
  if (step.includes('/') || step.includes('#')) return key === step || key.startsWith(`${step}/`);
  return key.split('/').some((segment) => segment.replace(/#\d+$/, '') === step);
}
