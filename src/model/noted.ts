import type { RunEvent } from './event.ts';
import { loopOf, ownerOf, type StepKey } from './ids.ts';
import { isJsonObject } from './json.ts';
import type { Note } from './note.ts';

export type StepEnded = Extract<RunEvent, { type: 'step-ended' }>;

/** A note and the step it is about. */
export type Noted = Note & { readonly key: StepKey };

/** Undefined if the event is not a note. */
export function notedIn(event: StepEnded): Noted | undefined {
  if (event.effect !== 'note' || !isJsonObject(event.output)) return undefined;
  const note = event.output['note'] as unknown as Note;
  const key = note.type === 'item-completed' ? loopOf(event.key) : ownerOf(event.key);
  return { key, ...note };
}
